import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dqlore.core.encoder.base import Encoded
from dqlore.core.encoder.embedding_cache import EmbeddingCache, encode_pairs_cached
from dqlore.core.progress import Progress, silent
from toys import ToyEncoder


class Counting:
    """An encoder whose vectors hold the lengths of the two parts, and which lists what it was asked for."""

    name, max_tokens, dim, dtype = "counting", 20, 2, "float32"

    def __init__(self, fingerprint: str = "one") -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> Encoded:
        return self.encode_pairs(texts, [""] * len(texts), progress)

    def encode_pairs(
        self, questions: Sequence[str], rationales: Sequence[str], progress: Progress = silent
    ) -> Encoded:
        self.asked += questions
        vectors = [[len(question), len(rationale)] for question, rationale in zip(questions, rationales, strict=True)]
        cut = tuple(i for i, question in enumerate(questions) if len(question) > self.max_tokens)
        return Encoded(np.array(vectors, dtype=np.float32).reshape(-1, 2), cut)


QUESTIONS = ["one", "three", "one", "a question that is too long for it"]
RATIONALES = ["r", "", "r", "rr"]
VECTORS = [[3, 1], [5, 0], [3, 1], [34, 2]]


def test_only_new_texts_are_encoded(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "embeddings.sqlite"
    first, second = Counting(), Counting()
    encoded = encode_pairs_cached(first, QUESTIONS, RATIONALES, EmbeddingCache(path))
    assert encoded.vectors.tolist() == VECTORS and encoded.cut_rows == (3,)
    assert sorted(first.asked) == sorted(set(QUESTIONS))
    again = encode_pairs_cached(second, ["new", *QUESTIONS], ["", *RATIONALES], EmbeddingCache(path))
    assert second.asked == ["new"]
    assert again.vectors.tolist() == [[3, 0], *VECTORS] and again.cut_rows == (4,)


def test_another_encoder_or_dtype_shares_nothing(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite")
    encode_pairs_cached(Counting(), QUESTIONS, RATIONALES, cache)
    other, half = Counting("two"), Counting()
    half.dtype = "bfloat16"
    for encoder in (other, half):
        encode_pairs_cached(encoder, QUESTIONS, RATIONALES, cache)
        assert len(encoder.asked) == 3


def test_a_cache_that_fails_is_told_once_and_never_fatal(tmp_path: Path) -> None:
    damaged, folder = tmp_path / "damaged.sqlite", tmp_path / "folder.sqlite"
    damaged.write_bytes(b"twenty random bytes, not a database" * 100)
    folder.mkdir()
    for path in (damaged, folder, damaged / "below" / "a-file"):
        cache = EmbeddingCache(path)
        for _ in range(2):
            assert encode_pairs_cached(Counting(), QUESTIONS, RATIONALES, cache).vectors.tolist() == VECTORS
        assert len(cache.notices) == 1 and str(path) in cache.notices[0]


FILL = """
import sys
from pathlib import Path
from toys import ToyEncoder
from dqlore.core.encoder.embedding_cache import EmbeddingCache, encode_pairs_cached
cache = EmbeddingCache(Path(sys.argv[1]))
start = int(sys.argv[2])
for i in range(start, start + 40):
    encode_pairs_cached(ToyEncoder(), [f"question {i}"], [""], cache)
print(cache.notices)
"""


def test_several_processes_can_share_it(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    tests = Path(__file__).parents[2]
    writers = [
        subprocess.Popen([sys.executable, "-c", FILL, str(path), start], stdout=subprocess.PIPE, text=True, cwd=tests)
        for start in ("0", "20")
    ]
    assert [writer.communicate(timeout=60)[0] for writer in writers] == ["[]\n", "[]\n"]
    later = ToyEncoder()
    encode_pairs_cached(later, [f"question {i}" for i in range(60)], [""] * 60, EmbeddingCache(path))
    assert later.texts == []
