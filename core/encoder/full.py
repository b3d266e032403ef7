"""Every other encoder, through the sentence-transformers library."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..device import Device, torch_dtype
from ..errors import UsageError
from ..exemplars import retrieval_text
from ..progress import Progress, silent
from .base import Encoded, Normalize, clean
from .folder import first_line
from .share import share

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

#: Texts between two reports of progress; the library sorts them by length.
_CHUNK = 1_024


class FullEncoder:
    """The sentence-transformers model in `folder`; a plain transformer folder is mean pooled."""

    def __init__(self, name: str, fingerprint: str, folder: Path, normalize: Normalize, device: Device) -> None:
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        logging.set_verbosity_error()
        try:
            model = SentenceTransformer(
                str(folder),
                device=device.name,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True, "dtype": torch_dtype(device)},
            )
        except (OSError, ValueError, KeyError, ImportError, AttributeError, RuntimeError) as error:
            raise UsageError(f"{folder} cannot be opened as an encoder: {first_line(error)}") from None
        if normalize == "never":
            _drop_normalization(model)
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
        return self._encode(texts, [i for i, text in enumerate(texts) if self._is_long(text)], progress)

    def encode_pairs(
        self, questions: Sequence[str], rationales: Sequence[str], progress: Progress = silent
    ) -> Encoded:
        """See `base.Encoder`."""
        texts, cut = [], []
        room = self.max_tokens - self._model.tokenizer.num_special_tokens_to_add(pair=False)
        for i, (question, rationale) in enumerate(zip(map(clean, questions), map(clean, rationales), strict=True)):
            text = retrieval_text(question, rationale)
            if self._is_long(text):
                cut.append(i)
                text = share(question, rationale, room, self._token_ends)
            texts.append(text)
        return self._encode(texts, cut, progress)

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

    def _is_long(self, text: str) -> bool:
        return len(self._model.tokenizer(text, truncation=False, verbose=False)["input_ids"]) > self.max_tokens

    def _token_ends(self, text: str) -> list[int]:
        tokens = self._model.tokenizer(
            text, add_special_tokens=False, truncation=False, return_offsets_mapping=True, verbose=False
        )
        return [end for _, end in tokens["offset_mapping"]]


def _drop_normalization(model: "SentenceTransformer") -> None:
    """Remove the Normalize modules at the end of the model."""
    from sentence_transformers.sentence_transformer.modules import Normalize as NormalizeModule

    while len(model) > 1 and isinstance(model[-1], NormalizeModule):
        del model[-1]
