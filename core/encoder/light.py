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
from ..memory import keep_freed_memory
from ..progress import Progress, silent
from ..threads import parallel_map
from .base import Encoded, clean
from .bert import Bert, Misfit, bert_from
from .int8 import with_int8
from .recipe import Recipe
from .share import share

#: Tokens in one forward pass: what stays in a CPU core's caches, and what fills a GPU.
_CPU_TOKENS, _GPU_TOKENS = 2_048, 65_536
#: Texts tokenized at a time, which bounds memory.
_TOKENIZED = 16_384

#: Int8 is taken if it keeps the vectors of these texts within this cosine of float32's.
_PROBES = (
    "A ferry carries 48 cars per trip. How many trips do 300 cars need?\n300 / 48 is 6.25, so it takes 7 trips.",
    "The museum opens on Tuesday and closes early in winter.",
    "who paid for the bridge",
)
_CLOSE = 0.9992


class LightEncoder:
    """An encoder of the folder that `recipe` describes."""

    def __init__(
        self, name: str, fingerprint: str, recipe: Recipe, normalized: bool, device: Device, int8: bool
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.dim = int(recipe.config["hidden_size"])
        self.max_tokens = recipe.max_tokens
        self.dtype = device.dtype
        self._pooling = recipe.pooling
        self._normalized = normalized
        self._on_cpu = device.name == "cpu"
        try:
            self._tokenizer = Tokenizer.from_buffer((recipe.transformer / "tokenizer.json").read_bytes())
        except ValueError as error:
            raise UsageError(f"{recipe.transformer / 'tokenizer.json'} is damaged: {error}") from None
        try:
            weights = load_file(recipe.transformer / "model.safetensors")
        except SafetensorError as error:
            raise UsageError(f"{recipe.transformer / 'model.safetensors'} is damaged: {error}") from None
        settings = recipe.config, recipe.first_position, device.name
        try:
            self._bert = bert_from(weights, *settings, torch_dtype(device))
            self._check_tables()
            exact = bert_from(weights, *settings, torch.float32) if int8 else self._bert
        except (KeyError, Misfit) as error:
            reason = f"lacks {error}" if isinstance(error, KeyError) else f"is no whole one, {error}"
            raise UsageError(f"the encoder {recipe.transformer} {reason}: its files do not belong together") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        if int8:
            self._take_int8(exact)

    def _check_tables(self) -> None:
        words, places = len(self._bert.words), len(self._bert.positions)
        if self._tokenizer.get_vocab_size() > words:
            raise Misfit(f"{self._tokenizer.get_vocab_size()} tokens have {words} word embeddings")
        if self.max_tokens > places:
            raise Misfit(f"texts of {self.max_tokens} tokens have {places} position embeddings")

    def _take_int8(self, exact: Bert) -> None:
        """Compute in int8 from here on, unless that moves this model's vectors too far."""
        probes = [tokens[: self.max_tokens] for tokens in self._ids(_PROBES)]
        rounded = with_int8(self._bert, exact)
        with torch.inference_mode():
            near, true = (bert.embed(probes, self._pooling) for bert in (rounded, exact))
        if torch.cosine_similarity(near, true).min() >= _CLOSE:
            self._bert = rounded
            self.dtype += "+int8"

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
        if self._on_cpu:
            keep_freed_memory()
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
            batches = list(self._batches(ids))
            with parallel_map(len(batches) if self._on_cpu else 1) as mapped:
                embedded = mapped(self._embed, [[ids[i] for i in batch] for batch in batches])
                for batch, rows in zip(batches, embedded, strict=True):
                    vectors[[start + i for i in batch]] = rows
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
        budget = _CPU_TOKENS if self._on_cpu else _GPU_TOKENS
        batch: list[int] = []
        tokens = 0
        for row in sorted(range(len(ids)), key=lambda row: -len(ids[row])):
            if batch and tokens + len(ids[row]) > budget:
                yield batch
                batch, tokens = [], 0
            batch.append(row)
            tokens += len(ids[row])
        if batch:
            yield batch
