import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dqlore.core.encoder.base import Encoded
from dqlore.core.encoder.embedding_cache import EmbeddingCache
from dqlore.core.errors import DqloreError, UsageError
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.index import build_index, index_from_vectors, load_index, open_or_build
from dqlore.core.progress import Progress, silent
from dqlore.core.rerank.pca import fit_projection
from dqlore.core.select.dense import search


class Hashing:
    """An encoder that gives each letter pair a place; `asked` lists the questions it encoded."""

    dtype, max_tokens = "float32", 40

    def __init__(self, name: str = "hashing", dim: int = 24) -> None:
        self.name, self.dim, self.fingerprint = name, dim, f"{name} {dim}"
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> Encoded:
        return self.encode_pairs(texts, [""] * len(texts), progress)

    def encode_pairs(
        self, questions: Sequence[str], rationales: Sequence[str], progress: Progress = silent
    ) -> Encoded:
        self.asked += questions
        vectors = np.zeros((len(questions), self.dim), dtype=np.float32)
        for row, text in enumerate(map("\n".join, zip(questions, rationales, strict=True))):
            for one, two in pairwise(text):
                vectors[row, (ord(one) * 31 + ord(two)) % self.dim] += 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cut = tuple(i for i, question in enumerate(questions) if len(question) > self.max_tokens)
        return Encoded(vectors, cut)


POOL = Pool(
    (
        Exemplar("a", "How deep is the well?", "Twice 4 metres is 8.", "8"),
        Exemplar("b", "Which is even?", "4 = 2 * 2.", "B", ("3", "4", "5"), {"source": "own", "level": 2.5}),
        Exemplar(
            "c", "Ein Fluß — wie lang?\u2028\x85", "{x} \\sum \ud83d\n\nzwei", "12", (), {"tags": ["lang", None]}
        ),
        Exemplar("d", "How deep is the lake?", "", "20"),
    ),
    "pool.jsonl",
)
EDITED = Pool(
    (
        *(replace(e, question="How odd?") if e.id == "b" else e for e in POOL[1:]),
        Exemplar("e", "New?", "Yes.", "yes"),
    ),
    "pool.jsonl",
)


def nearest(index_path: Path, text: str) -> str:
    index = load_index(index_path)
    return index.pool[int(search(index, Hashing().encode([text]).vectors, 1).positions[0][0])].id


def test_every_field_comes_back(tmp_path: Path) -> None:
    built = build_index(POOL, Hashing(), tmp_path / "index")
    index = load_index(tmp_path / "index")
    assert index.pool.exemplars == POOL.exemplars and index.pool.source == POOL.source
    assert [dict(exemplar.meta) for exemplar in index.pool] == [dict(exemplar.meta) for exemplar in POOL]
    assert index.meta == built.meta and index.vectors.dtype == np.float32
    np.testing.assert_array_equal(
        index.vectors, Hashing().encode_pairs(*zip(*((e.question, e.rationale) for e in POOL), strict=True)).vectors
    )
    expected = fit_projection(index.vectors)
    np.testing.assert_array_equal(index.projection.components, expected.components)
    np.testing.assert_array_equal(index.projection.mean, expected.mean)


def test_a_second_build_replaces_the_first(tmp_path: Path) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    build_index(EDITED, Hashing(), out)
    build_index(EDITED, Hashing(), out)
    index = load_index(out)
    assert [exemplar.id for exemplar in index.pool] == ["b", "c", "d", "e"] and len(index.vectors) == 4
    assert [entry.name for entry in tmp_path.iterdir() if "index" in entry.name] == ["index"]


def test_an_index_made_by_another_encoder_is_refused_with_both_names(tmp_path: Path) -> None:
    index = build_index(POOL, Hashing("small", 24), tmp_path / "my index")
    with pytest.raises(UsageError) as refused:
        index.check(None, Hashing("large", 48))
    message = str(refused.value)
    assert all(part in message for part in ("'small' (24 numbers)", "'large' (48 numbers)"))
    assert f"`dqlore index --pool pool.jsonl --out '{tmp_path / 'my index'}' --encoder large`" in message
    with pytest.raises(UsageError, match="the same name, with other weights"):
        index.check(POOL, Hashing("small", 25))
    index.check(POOL, Hashing("small", 24))
    index.check(None, Hashing("small", 24))


def test_a_changed_pool_is_refused_in_the_user_s_folder(tmp_path: Path) -> None:
    build_index(POOL, Hashing(), tmp_path / "index")
    with pytest.raises(UsageError, match=r"4 rows then, 4 now, 2 of them new or edited.*dqlore index --pool"):
        load_index(tmp_path / "index").check(EDITED, Hashing())


def test_a_changed_pool_is_indexed_anew_in_the_cache_encoding_only_what_is_new(tmp_path: Path) -> None:
    first, second, third = Hashing(), Hashing(), Hashing("other")
    assert open_or_build(POOL, first, tmp_path).pool is POOL
    assert len(open_or_build(POOL, first, tmp_path).vectors) == 4 and len(first.asked) == 4
    index = open_or_build(EDITED, second, tmp_path)
    assert second.asked == ["How odd?", "New?"]
    fresh = index_from_vectors(
        EDITED, Hashing().encode_pairs([e.question for e in EDITED], [e.rationale for e in EDITED]).vectors
    )
    np.testing.assert_array_equal(index.vectors, fresh.vectors)
    open_or_build(EDITED, third, tmp_path)
    assert len(third.asked) == 4


@pytest.mark.parametrize("file", ["meta.json", "pool.jsonl", "vectors.npy", "pca_components.npy", "pca_mean.npy"])
@pytest.mark.parametrize("damage", [b"\x93\x07 twenty random by", b"", None])
def test_a_damaged_file_gives_one_clear_error_each_time(tmp_path: Path, file: str, damage: bytes | None) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    (out / file).unlink() if damage is None else (out / file).write_bytes(damage)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    messages = set()
    for _ in range(3):
        with pytest.raises(UsageError) as refused:
            index = load_index(out)
            _ = index.projection
        messages.add(str(refused.value))
    (message,) = messages
    assert str(out) in message and "dqlore index --pool" in message and len(message.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    build_index(POOL, Hashing(), out)
    assert nearest(out, "How deep is the lake?") == "d"


def test_vectors_cut_short_are_noticed(tmp_path: Path) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    (out / "vectors.npy").write_bytes((out / "vectors.npy").read_bytes()[:-8])
    with pytest.raises(UsageError, match=r"vectors\.npy"):
        load_index(out)


def test_a_pool_file_edited_by_hand_is_never_paired_with_old_vectors(tmp_path: Path) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    text = (out / "pool.jsonl").read_text(encoding="utf-8", errors="surrogatepass")
    (out / "pool.jsonl").write_text(text.replace("lake", "pond"), encoding="utf-8", errors="surrogatepass")
    with pytest.raises(UsageError, match=r"pool\.jsonl is not the pool the vectors were made of"):
        load_index(out)


def test_damage_in_the_cache_is_repaired(tmp_path: Path) -> None:
    path = open_or_build(POOL, Hashing(), tmp_path).path
    assert path is not None
    (path / "pca_mean.npy").write_bytes(b"no")
    (tmp_path / "embeddings.sqlite").write_bytes(b"no" * 600)
    index = open_or_build(POOL, Hashing(), tmp_path)
    assert len(index.projection.mean) == 24 and "embedding cache" in index.warnings[-1]


def test_a_cache_that_cannot_be_written_leaves_the_index_in_memory(tmp_path: Path) -> None:
    (tmp_path / "indexes").write_text("a file where a folder should be")
    index = open_or_build(POOL, Hashing(), tmp_path)
    assert index.path is None and "could not be kept" in index.warnings[-1]
    assert len(search(index, index.vectors[:1], 2).positions[0]) == 2


def test_a_killed_build_leaves_the_first_index_answering(tmp_path: Path) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    code = """
        import sys, time
        from pathlib import Path
        sys.path.insert(0, sys.argv[2])
        from test_index import POOL, Hashing
        from dqlore.core.exemplars import Exemplar, Pool
        from dqlore.core.index import build_index

        class Slow:
            def __str__(self):
                print("writing", flush=True)
                time.sleep(60)

        pool = Pool((*POOL, Exemplar("slow", "How slow?", "Very.", "very", (), {"speed": Slow()})), "other.jsonl")
        build_index(pool, Hashing(), Path(sys.argv[1]))
    """
    arguments = [sys.executable, "-c", textwrap.dedent(code), str(out), str(Path(__file__).parent)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None and writer.stdout.readline() == "writing\n"
        os.kill(writer.pid, signal.SIGKILL)
    assert any(entry.name.startswith(".index.new-") for entry in tmp_path.iterdir())
    assert nearest(out, "How deep is the lake?") == "d"
    build_index(EDITED, Hashing(), out)
    assert not [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".index")]
    assert nearest(out, "New?\nYes.") == "e"


def test_a_folder_that_is_no_index_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear all")
    with pytest.raises(UsageError, match=r"dear\.txt"):
        build_index(POOL, Hashing(), tmp_path / "letters")
    with pytest.raises(UsageError, match="is a file"):
        build_index(POOL, Hashing(), tmp_path / "letters" / "dear.txt")
    with pytest.raises(DqloreError, match="cannot be written"):
        build_index(POOL, Hashing(), tmp_path / "letters" / "dear.txt" / "index")
    assert (tmp_path / "letters" / "dear.txt").read_text() == "Dear all"


def test_vectors_of_any_number_type_and_layout_are_the_same_index() -> None:
    vectors = np.random.default_rng(0).normal(size=(4, 6))
    expected = search(index_from_vectors(POOL, vectors.astype(np.float32)), vectors, 4)
    for given in (vectors, np.asfortranarray(vectors), vectors.T.copy().T, vectors.tolist()):
        hits = search(index_from_vectors(POOL, given), vectors, 4)
        for positions, scores, right in zip(hits.positions, hits.scores, expected.positions, strict=True):
            assert positions.tolist() == right.tolist() and scores.shape == (4,)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_vector_that_is_not_finite_is_refused_by_row_id(bad: float) -> None:
    vectors = np.ones((4, 3))
    vectors[2, 1] = bad
    with pytest.raises(UsageError, match="exemplar 'c'"):
        index_from_vectors(POOL, vectors)


@pytest.mark.parametrize("bad", [[[1.0, 2.0]], [1.0, 2.0, 3.0, 4.0], [[1.0], [1.0, 2.0], [3.0], [4.0]], [["x"]] * 4])
def test_vectors_that_do_not_fit_the_pool_are_refused(bad: list[object]) -> None:
    with pytest.raises(UsageError, match="vectors"):
        index_from_vectors(POOL, bad)


def test_an_empty_pool_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"empty\.jsonl is empty"):
        build_index(Pool((), "empty.jsonl"), Hashing(), tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_texts_that_were_cut_are_counted_when_built_and_when_loaded(tmp_path: Path) -> None:
    pool = Pool((*POOL, Exemplar("long", "How long? " * 9, "Long.", "9")), "pool.jsonl")
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite")
    for _ in range(2):
        built = build_index(pool, Hashing(), tmp_path / "index", cache=cache)
        for index in (built, load_index(tmp_path / "index")):
            assert "1 of 5 retrieval texts are longer than the encoder's 40 tokens" in index.warnings[0]


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    out = tmp_path / "索引 ü"
    built = build_index(POOL, Hashing(), out)
    assert search(load_index(out), built.vectors[:1], 1).positions[0].tolist() == [0]


def test_progress_and_meta_tell_what_was_done(tmp_path: Path) -> None:
    stages: list[str] = []
    build_index(POOL, Hashing(), tmp_path / "index", progress=lambda stage, *_: stages.append(stage))
    assert list(dict.fromkeys(stages)) == ["encode", "write index"]
    meta = json.loads((tmp_path / "index" / "meta.json").read_text())
    assert (meta["encoder"], meta["dim"], meta["pool"], len(meta["rows"])) == ("hashing", 24, "pool.jsonl", 4)


@pytest.mark.parametrize("file", ["vectors.npy", "pca_components.npy", "pca_mean.npy"])
def test_numbers_that_are_not_finite_are_damage(tmp_path: Path, file: str) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    np.save(out / file, np.load(out / file) * np.float32("nan"))
    with pytest.raises(UsageError, match="NaN or infinite values: run `dqlore index"):
        _ = load_index(out).projection


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [("meta.json", "encoder", 5), ("meta.json", "cut", "2"), ("meta.json", "unit", 1), ("pool.jsonl", "question", 7)],
)
def test_values_of_another_type_are_damage(tmp_path: Path, file: str, key: str, value: object) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    raw = (out / file).read_bytes()
    first, rest = raw.split(b"\n", 1) if file == "pool.jsonl" else (raw, b"")
    changed = {**json.loads(first), key: value}
    (out / file).write_bytes(json.dumps(changed).encode() + b"\n" + rest)
    with pytest.raises(UsageError, match=f"{file} is not what was written: run `dqlore index"):
        load_index(out)


@pytest.mark.parametrize("file", ["meta.json", "pool.jsonl"])
def test_json_nested_without_end_is_damage(tmp_path: Path, file: str) -> None:
    out = tmp_path / "index"
    build_index(POOL, Hashing(), out)
    (out / file).write_text("[" * 100_000)
    with pytest.raises(UsageError, match=f"{file} is not what was written"):
        load_index(out)


def test_a_folder_that_cannot_be_reached_is_named_as_given() -> None:
    with pytest.raises(UsageError, match=f"the index {'y' * 300} cannot be used, it cannot be read"):
        load_index(Path("y" * 300))
