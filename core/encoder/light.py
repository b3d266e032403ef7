"""BERT and RoBERTa encoders on torch, tokenizers and safetensors alone.

Importing sentence-transformers costs several times what importing torch does; for these models nothing of it is
needed, and batches without padding are faster than its own.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer

from ..device import Device, torch_dtype
from ..errors import UsageError
from ..exemplars import retrieval_text
from ..progress import Progress, silent
from .base import Encoded, clean
from .bert import bert_from
from .recipe import Recipe
from .share import share

#: Tokens in one forward pass: what stays in a CPU's caches, and what fills a GPU.
_CPU_TOKENS, _GPU_TOKENS = 4_096, 65_536
#: Texts tokenized at a time, which bounds memory.
_TOKENIZED = 16_384


class LightEncoder:
    """An encoder of the folder that `recipe` describes."""

    def __init__(self, name: str, fingerprint: str, recipe: Recipe, normalized: bool, device: Device) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.dim = int(recipe.config["hidden_size"])
        self.max_tokens = recipe.max_tokens
        self.dtype = device.dtype
        self._pooling = recipe.pooling
        self._normalized = normalized
        self._budget = _CPU_TOKENS if device.name == "cpu" else _GPU_TOKENS
        try:
            self._tokenizer = Tokenizer.from_buffer((recipe.transformer / "tokenizer.json").read_bytes())
            weights = load_file(recipe.transformer / "model.safetensors")
            self._bert = bert_from(weights, recipe.config, recipe.first_position, device.name, torch_dtype(device))
        except ValueError as error:
            raise UsageError(f"{recipe.transformer / 'tokenizer.json'} is damaged: {error}") from None
        except SafetensorError as error:
            raise UsageError(f"{recipe.transformer / 'model.safetensors'} is damaged: {error}") from None
        except KeyError as error:
            raise UsageError(
                f"the encoder {recipe.transformer} lacks {error}: its files do not belong together"
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> Encoded:
        """See `base.Encoder`."""
        return self._encode(texts, None, progress)

    def encode_pairs(
        self, questions: Sequence[str], rationales: Sequence[str], progress: Progress = silent
    ) -> Encoded:
        """See `base.Encoder`."""
        texts = [
            retrieval_text(question, rationale) for question, rationale in zip(questions, rationales, strict=True)
        ]
        return self._encode(texts, (questions, rationales), progress)

    def _encode(
        self, texts: Sequence[str], pairs: tuple[Sequence[str], Sequence[str]] | None, progress: Progress
    ) -> Encoded:
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        cut: list[int] = []
        done = 0
        progress("encode", 0, len(texts))
        for start in range(0, len(texts), _TOKENIZED):
            ids = self._ids(texts[start : start + _TOKENIZED])
            for i, tokens in enumerate(ids):
                if len(tokens) > self.max_tokens:
                    cut.append(start + i)
                    if pairs is not None:
                        tokens = self._shared_ids(pairs[0][start + i], pairs[1][start + i])
                    ids[i] = [*tokens[: self.max_tokens - 1], tokens[-1]]
            for batch in self._batches(ids):
                vectors[[start + i for i in batch]] = self._embed([ids[i] for i in batch])
                done += len(batch)
                progress("encode", done, len(texts))
        return Encoded(vectors, tuple(cut))

    def _embed(self, ids: Sequence[Sequence[int]]) -> np.ndarray:
        with torch.inference_mode():
            pooled = self._bert.embed(ids, self._pooling)
            if self._normalized:
                pooled = torch.nn.functional.normalize(pooled, dim=1)
            return pooled.cpu().numpy()

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast([clean(text) for text in texts])]

    def _shared_ids(self, question: str, rationale: str) -> list[int]:
        room = self.max_tokens - self._tokenizer.num_special_tokens_to_add(is_pair=False)
        return self._ids([share(clean(question), clean(rationale), room, self._token_ends)])[0]

    def _token_ends(self, text: str) -> list[int]:
        return [end for _, end in self._tokenizer.encode(text, add_special_tokens=False).offsets]

    def _batches(self, ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Yield rows by falling length up to the token budget; what does not fit in memory fails first."""
        batch: list[int] = []
        tokens = 0
        for row in sorted(range(len(ids)), key=lambda row: -len(ids[row])):
            if batch and tokens + len(ids[row]) > self._budget:
                yield batch
                batch, tokens = [], 0
            batch.append(row)
            tokens += len(ids[row])
        if batch:
            yield batch
