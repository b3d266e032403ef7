"""Every other encoder, through the sentence-transformers library."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..device import Device, torch_dtype
from ..errors import UsageError
from ..exemplars import retrieval_text
from ..progress import Progress, silent
from .base import Encoded, Normalize, clean
from .folder import first_line
from .share import share

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

#: Texts between two reports of progress; the library sorts them by length.
_CHUNK = 1_024


class FullEncoder:
    """The sentence-transformers model in `folder`; a plain transformer folder is mean pooled."""

    def __init__(self, name: str, fingerprint: str, folder: Path, normalize: Normalize, device: Device) -> None:
        model = open_model(folder, device.name, torch_dtype(device))
        if normalize == "never":
            drop_normalization(model)
        self.name = name
        self.fingerprint = fingerprint
        self.dim = int(model.get_embedding_dimension() or 0)
        self.max_tokens = int(model.max_seq_length or 2**31)
        self.dtype = device.dtype
        self._model = model
        self._always = normalize == "always"

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> Encoded:
        """See `base.Encoder`."""
        texts = [clean(text) for text in texts]
        return self._encode(
            texts,
            [i for i, text in enumerate(texts) if _length(self._model.tokenizer, text) > self.max_tokens],
            progress,
        )

    def encode_pairs(
        self, questions: Sequence[str], rationales: Sequence[str], progress: Progress = silent
    ) -> Encoded:
        """See `base.Encoder`."""
        pairs = zip(questions, rationales, strict=True)
        texts = [text_within(self._model.tokenizer, self.max_tokens, *pair) for pair in pairs]
        return self._encode([text for text, _ in texts], [i for i, (_, cut) in enumerate(texts) if cut], progress)

    def _encode(self, texts: Sequence[str], cut: Sequence[int], progress: Progress) -> Encoded:
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        progress("encode", 0, len(texts))
        for start in range(0, len(texts), _CHUNK):
            chunk = list(texts[start : start + _CHUNK])
            vectors[start : start + len(chunk)] = (
                self._model.encode(
                    chunk, show_progress_bar=False, convert_to_tensor=True, normalize_embeddings=self._always
                )
                .float()
                .cpu()
                .numpy()
            )
            progress("encode", start + len(chunk), len(texts))
        return Encoded(vectors, tuple(cut))


def open_model(folder: Path, device: str, dtype: "torch.dtype") -> "SentenceTransformer":
    """Return the model in `folder`. Raises UsageError if it cannot be opened."""
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        return SentenceTransformer(
            str(folder),
            device=device,
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": dtype},
        )
    except (OSError, ValueError, KeyError, ImportError, AttributeError, RuntimeError) as error:
        raise UsageError(f"{folder} cannot be opened as an encoder: {first_line(error)}") from None


def drop_normalization(model: "SentenceTransformer") -> None:
    """Remove the Normalize modules at the end of the model."""
    from sentence_transformers.sentence_transformer.modules import Normalize as NormalizeModule

    while len(model) > 1 and isinstance(model[-1], NormalizeModule):
        del model[-1]


def text_within(tokenizer: Any, limit: int, question: str, rationale: str) -> tuple[str, bool]:
    """Return the retrieval text, cut to `limit` tokens by the rule of `share.share`, and whether it was cut."""
    question, rationale = clean(question), clean(rationale)
    text = retrieval_text(question, rationale)
    if _length(tokenizer, text) <= limit:
        return text, False
    room = limit - tokenizer.num_special_tokens_to_add(pair=False)
    return share(question, rationale, room, lambda part: _token_ends(tokenizer, part)), True


def _length(tokenizer: Any, text: str) -> int:
    return len(tokenizer(text, truncation=False, verbose=False)["input_ids"])


def _token_ends(tokenizer: Any, text: str) -> list[int]:
    tokens = tokenizer(text, add_special_tokens=False, truncation=False, return_offsets_mapping=True, verbose=False)
    return [end for _, end in tokens["offset_mapping"]]
