"""The parts a run is made of, each opened from the settings when it is first needed.

`select` by BM25 never loads a model, and a given chain of thought never loads a language model.
"""

import os
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import UsageError
from .exemplars import Pool, question_key
from .progress import Progress, silent
from .settings import Settings

if TYPE_CHECKING:
    from .dialogue.ontology import Ontology
    from .encoder import Encoder
    from .index import Index
    from .lm.base import LM
    from .lm.cache import Cache
    from .passages import Collection
    from .select.bm25 import BM25Retriever
    from .select.socratic import Socratic

STARTER = "starter"
LM_BACKENDS = ("local", "openai", "replay")


def lm_parts(name: str) -> tuple[str, str]:
    """Return backend and model of a language model's name, "local:smollm2-135m". Raises UsageError if it is none."""
    backend, _, model = name.partition(":")
    if backend not in LM_BACKENDS or not model:
        raise UsageError(f"lm {name!r}: write local:MODEL, openai:MODEL or replay:FILE")
    return backend, model


class Parts:
    """Opens pool, encoder, index and language models once; `warnings` collects what opening them had to say.

    A part given to the constructor is used as it is.
    """

    def __init__(
        self,
        settings: Settings,
        progress: Progress = silent,
        *,
        pool: Pool | None = None,
        encoder: "Encoder | None" = None,
        lm: "LM | None" = None,
        first_lm: "LM | None" = None,
    ) -> None:
        self.settings = settings
        self.progress = progress
        self.warnings: list[str] = []
        self._clusters: dict[int, list[list[int]]] = {}
        self._encoded = self._cut = 0
        # A cached_property yields to an instance attribute of the same name.
        for name, part in (("whole_pool", pool), ("encoder", encoder), ("lm", lm), ("first_lm", first_lm)):
            if part is not None:
                self.__dict__[name] = part

    def with_settings(self, settings: Settings) -> "Parts":
        """Return parts for other `select` and `rerank` settings, which share everything that is open here."""
        other = copy(self)
        other.settings = settings
        other.warnings = []
        return other

    @cached_property
    def pool(self) -> Pool:
        """The exemplars to choose from: those of the whole pool that `pool.where` keeps."""
        if not self.settings.pool.where:
            return self.whole_pool
        return Pool(tuple(self.whole_pool[i] for i in self._kept), self.whole_pool.source)

    @cached_property
    def _kept(self) -> list[int]:
        return self.whole_pool.positions_where(self.settings.pool.where)

    @cached_property
    def whole_pool(self) -> Pool:
        """All exemplars of the pool's file, dataset or index folder."""
        if self._index_folder is not None and self._pool_is_the_index:
            return self._index_folder.pool
        if self.settings.pool.path == STARTER:
            from .starter import starter_pool

            return starter_pool()
        from .datasets import pool_named
        from .pool_io import load_pool

        chosen = self.settings.pool
        if (dataset := pool_named(chosen.path, self.settings.data)) is not None:
            return dataset
        loaded = load_pool(os.path.expanduser(chosen.path), mapping=chosen.map, skip_bad=chosen.skip_bad)
        self.warnings += loaded.warnings
        return loaded.pool

    @cached_property
    def kind(self) -> str:
        """What an answer is in this pool."""
        from .tasks import infer_kind

        kind = self.settings.task.kind
        return infer_kind([(e.answer, e.options) for e in self.pool]) if kind == "auto" else kind

    @cached_property
    def instruction(self) -> str:
        """The sentence at the head of every prompt."""
        from .tasks import instruction

        own = self.settings.task.instruction
        if own is not None:
            return own
        slots = f"\n{self.ontology.signatures()}" if self.kind == "state" else ""
        return f"{instruction(self.kind)}{slots}"

    @cached_property
    def ontology(self) -> "Ontology":
        """The slots of a dialogue's state: those of the settings' dataset, else those that the pool's turns fill."""
        from .datasets import ontology_named
        from .dialogue.ontology import ontology_of
        from .dialogue.turn import is_turn, turn_of

        named = self.settings.task.ontology or self.settings.pool.path
        known = ontology_named(named, self.settings.data)
        if known is None and self.settings.task.ontology is not None:
            raise UsageError(f"task.ontology = {named!r}: no dataset of dialogues that lies in the data folder")
        found = known or ontology_of(turn_of(e).state for e in self.pool if is_turn(e))
        if not found.slots:
            raise UsageError(
                f"{self.pool.source} holds no turns of dialogues, so the slots are not known: "
                "use a pool that `dqlore data convert woz` wrote, or name a dataset in task.ontology"
            )
        return found

    @cached_property
    def encoder(self) -> "Encoder":
        from .encoder import load_encoder

        name = self.settings.encoder.name
        if self._index_folder is not None and "name" not in self.settings.encoder.model_fields_set:
            name = self._index_folder.meta.encoder  # an index is searched with the encoder that made it
        return load_encoder(
            name,
            device=self.settings.device.name,
            dtype=self.settings.device.dtype,
            normalize=self.settings.encoder.normalize,
            cache_dir=self.cache_dir,
            progress=self.progress,
        )

    @cached_property
    def index(self) -> "Index":
        """The pool's vectors: the given index folder, or one kept in the cache by what it was made of."""
        from .index import open_or_build

        index = self._index_folder
        if index is None:
            index = open_or_build(self.whole_pool, self.encoder, self.cache_dir, progress=self.progress)
        else:
            index.check(None if self._pool_is_the_index else self.whole_pool, self.encoder)
        self.warnings += index.warnings
        return index.subset(self.pool, self._kept) if self.settings.pool.where else index

    @cached_property
    def _index_folder(self) -> "Index | None":
        from .index import load_index

        return None if self.settings.index.path is None else load_index(self.settings.index.path)

    @property
    def _pool_is_the_index(self) -> bool:
        """Whether an index folder was given without a pool: it holds its own."""
        return self.settings.index.path is not None and "path" not in self.settings.pool.model_fields_set

    def build_index(self, out: Path) -> "Index":
        """Encode the whole pool and write its index folder; which exemplars count is chosen when it is searched."""
        from .encoder.embedding_cache import EmbeddingCache
        from .index import build_index

        cache = EmbeddingCache(self.cache_dir / "embeddings.sqlite")
        index = build_index(self.whole_pool, self.encoder, out, cache=cache, progress=self.progress)
        self.warnings += index.warnings
        return index

    @cached_property
    def question_vectors(self) -> np.ndarray:
        """The pool's questions without their rationales, (pool size, d)."""
        return self.encoder.encode([e.question for e in self.pool], self.progress).vectors

    def encode_queries(self, questions: Sequence[str], cots: Sequence[str]) -> np.ndarray:
        """Return s_e(x ⊕ y) of each question and its rationale ("" for none), (b, d) float32."""
        encoded = self.encoder.encode_pairs(questions, cots)
        self._encoded += len(questions)
        self._cut += encoded.cut
        return encoded.vectors

    def excluded(self, question: str, dialogue: str | None = None) -> Sequence[int]:
        """Return the pool positions never offered for `question`: that very question, the other turns of its
        dialogue, and duplicates if unwanted.
        """
        own = [*self.pool.positions_of(question), *self.pool.turns_of(dialogue)]
        return [*own, *self._duplicates] if self.settings.select.dedupe else own

    @cached_property
    def _duplicates(self) -> list[int]:
        first: dict[str, int] = {}
        return [i for i, e in enumerate(self.pool) if first.setdefault(question_key(e.question), i) != i]

    @cached_property
    def complexity_order(self) -> list[int]:
        """The pool's positions, most reasoning steps first."""
        from .select.initial import complexity_order

        return complexity_order(self.pool)

    def clusters(self, n: int) -> list[list[int]]:
        """Return n clusters of the pool's questions."""
        if n not in self._clusters:
            from .select.initial import question_clusters

            self._clusters[n] = question_clusters(self.question_vectors, n)
        return self._clusters[n]

    def rerank_params(self, name: str) -> dict[str, Any]:
        """Return those of the re-ranking settings that the re-ranker called `name` takes."""
        from .rerank import find_reranker

        given = self.settings.rerank.model_dump(exclude_none=True, exclude={"name"})
        takes = find_reranker(name).settings
        params = {key: value for key, value in given.items() if key in takes}
        return params | ({"projection": self.index.projection} if params.get("fit") == "pool" else {})

    def all_warnings(self) -> list[str]:
        """Return what opening and using the parts had to say, each once."""
        models = [self.__dict__[name] for name in ("lm", "first_lm") if name in self.__dict__]
        cut = []
        if self._cut:
            from .encoder import cut_warning

            cut = [cut_warning(self._cut, self._encoded, self.encoder.max_tokens)]
        return list(dict.fromkeys([*self.warnings, *cut, *(notice for lm in models for notice in lm.notices)]))

    @cached_property
    def bm25(self) -> "BM25Retriever":
        from .select.bm25 import BM25Retriever

        chosen = self.settings.bm25
        return BM25Retriever(self.pool, field=chosen.field, stem=None if chosen.stem == "none" else chosen.stem)

    @cached_property
    def passages(self) -> "Collection":
        """The passages to find answers in. Raises UsageError where no collection is named."""
        from .passages import collection_named, load_passages

        chosen = self.settings.passages
        if chosen.path is None:
            raise UsageError(
                "no passages to read: name a collection with --passages FILE (rows with a text), a dataset that "
                "brings one (--passages xquad), or give each question its own"
            )
        dataset = collection_named(chosen.path, self.settings.data)
        return load_passages(chosen.path, mapping=chosen.map) if dataset is None else dataset

    @cached_property
    def passage_bm25(self) -> "BM25Retriever":
        from .select.bm25 import BM25Retriever

        stem = self.settings.bm25.stem
        return BM25Retriever(self.passages.pool, field="both", stem=None if stem == "none" else stem)

    @cached_property
    def passage_index(self) -> "Index":
        """The vectors of the passages, kept in the cache by what they were made of."""
        from .index import open_or_build

        index = open_or_build(self.passages.pool, self.encoder, self.cache_dir, progress=self.progress)
        self.warnings += index.warnings
        return index

    @cached_property
    def manual(self) -> Pool:
        """The hand-written exemplars: the user's file, or the project's own for this kind of answer."""
        path = self.settings.first_query.file
        if path is not None:
            from .pool_io import load_pool

            return load_pool(path, mapping=self.settings.pool.map).pool
        from .starter import manual

        return manual(self.kind)

    @cached_property
    def socratic(self) -> "Socratic":
        """The rationales of the initial exemplars `socratic`."""
        from .select.socratic import Socratic

        return Socratic(self.kind, self.settings.lm.max_tokens)

    @cached_property
    def lm(self) -> "LM":
        """The model that answers."""
        return self.open_lm(self.settings.lm.name)

    @cached_property
    def first_lm(self) -> "LM":
        """The model of the first query."""
        name = self.settings.first_query.lm
        return self.lm if name is None or name == self.settings.lm.name else self.open_lm(name)

    async def aclose(self) -> None:
        """Let go of the models' connections and threads; they are of no use afterwards."""
        for lm in {id(lm): lm for name in ("lm", "first_lm") if (lm := self.__dict__.get(name))}.values():
            await lm.aclose()

    @cached_property
    def reply_cache(self) -> "Cache":
        from .lm.cache import Cache

        return Cache(self.cache_dir / "replies.sqlite")

    @property
    def cache_dir(self) -> Path:
        return self.settings.cache.path

    def open_lm(self, name: str, *, retries: int | None = None, cached: bool = True) -> "LM":
        """Open the model called `name` with the settings' endpoint, device and cache; `retries` overrides theirs."""
        backend, model = lm_parts(name)
        chosen = self.settings.lm
        if backend == "replay":
            from .lm.replay import ReplayLM

            return ReplayLM(Path(model).expanduser())
        lm: LM
        if backend == "openai":
            from .lm.openai import Endpoint, OpenAILM

            fields = self.settings.endpoint.model_dump(exclude={"prompt_price", "completion_price"})
            if retries is not None:
                fields["max_retries"] = retries
            lm = OpenAILM(Endpoint(model=model, context_window=chosen.context_window, **fields))
        else:
            from .lm.local import load_local

            lm = load_local(
                model,
                device=self.settings.device.name,
                dtype=self.settings.device.dtype,
                cache_dir=self.cache_dir,
                chat=chosen.chat,
                context_window=chosen.context_window,
                progress=self.progress,
            )
        if not (cached and self.settings.cache.enabled):
            return lm
        from .lm.cache import CachedLM

        return CachedLM(lm, self.reply_cache)
