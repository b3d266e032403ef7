"""Mining, against BM25 done by another library, and what stands in its folder after a kill."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rank_bm25 import BM25Okapi

from dqlore.core.datasets import load_dataset
from dqlore.core.errors import DqloreError, UsageError
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.select.words import word_splitter
from dqlore.core.train.mine import load_mined, mine, mine_into
from dqlore.core.train.rows import Mined, read_mined, read_scored
from toys import toy_pool

POOL = toy_pool(30)


def changed(pool: Pool, position: int, **fields: str) -> Pool:
    exemplars = list(pool)
    exemplars[position] = replace(exemplars[position], **fields)
    return Pool(tuple(exemplars), pool.source)


def test_candidates_are_the_nearest_by_bm25_on_the_rationale() -> None:
    words = ("red", "green", "blue", "black", "white", "grey", "pink", "gold")
    pool = Pool(
        tuple(Exemplar(f"e{i}", f"q {i}", " ".join(words[: i + 1]) + f" {words[i]}" * 2, "1") for i in range(8))
    )
    split = word_splitter()
    texts = [split(e.rationale) for e in pool]
    for row, text in zip(mine(pool, k=3), texts, strict=True):
        scores = dict(zip([e.id for e in pool], Lucene(texts, k1=1.5, b=0.75).get_scores(text), strict=True))
        del scores[row.anchor]
        assert list(row.candidates) == sorted(scores, key=lambda name: -scores[name])[:3]


class Lucene(BM25Okapi):
    """The textbook scores with Lucene's never negative weights of words."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        from math import log

        self.idf = {word: log(1 + (self.corpus_size - df + 0.5) / (df + 0.5)) for word, df in nd.items()}


@pytest.mark.parametrize("field", ["question", "rationale", "both"])
def test_no_anchor_is_its_own_candidate_nor_is_its_question_in_other_writing(field: str) -> None:
    question = POOL[3].question
    pool = changed(changed(POOL, 8, question=f"  {question.upper()} "), 9, question=question.replace(" ", "  "))
    rows = {row.anchor: row.candidates for row in mine(pool, k=27, field=field)}  # type: ignore[arg-type]
    for anchor in ("e3", "e8", "e9"):
        assert not {"e3", "e8", "e9"} & set(rows[anchor])
    assert all(len(set(candidates)) == 27 and anchor not in candidates for anchor, candidates in rows.items())


def test_the_field_decides_what_is_near() -> None:
    texts = [("apples", "boats"), ("apples", "coins"), ("doors", "boats"), ("doors", "eggs")]
    pool = Pool(tuple(Exemplar(f"e{i}", f"{q} {i}", r, "1") for i, (q, r) in enumerate(texts)))
    assert mine(pool, k=1, field="question")[0].candidates == ("e1",)
    assert mine(pool, k=1, field="rationale")[0].candidates == ("e2",)
    plural = Pool(tuple(replace(e, rationale=e.rationale[:-1]) if i == 2 else e for i, e in enumerate(pool)))
    assert mine(plural, k=1, stem="english")[0].candidates == ("e2",)


def test_limited_anchors_repeat_by_seed_and_a_larger_limit_adds_to_them() -> None:
    def anchors(limit: int, seed: int = 0) -> list[str]:
        return [row.anchor for row in mine(POOL, k=2, limit=limit, seed=seed)]

    assert anchors(7) == anchors(7) != anchors(7, seed=1)
    assert set(anchors(7)) < set(anchors(12))
    assert anchors(99) == [e.id for e in POOL] == sorted(anchors(99), key=lambda name: int(name[1:]))


def test_a_pool_that_is_too_small_is_refused_with_what_would_do() -> None:
    with pytest.raises(UsageError, match=r"toy pool has 5 exemplars: too few for 5 .* set train\.k to 4 or less"):
        mine(toy_pool(5), k=5)
    assert len(mine(toy_pool(6), k=5)) == 6
    repeated = changed(changed(POOL, 1, question=POOL[0].question), 2, question=POOL[0].question)
    with pytest.raises(UsageError, match=r"30 exemplars, of which 3 have the same question \('e0', 'e1', 'e2'\)"):
        mine(repeated, k=28)
    with pytest.raises(UsageError, match="0 exemplars"):
        mine(Pool(()), k=1)
    with pytest.raises(UsageError, match="k = 0"):
        mine(POOL, k=0)
    with pytest.raises(UsageError, match="limit of 0"):
        mine(POOL, k=3, limit=0)


def test_exemplars_without_a_rationale_are_named() -> None:
    with pytest.raises(UsageError, match=r"2 of 30 exemplars in toy pool have no rationale \('e4', 'e6'\).*annotate"):
        mine(changed(changed(POOL, 4, rationale=""), 6, rationale=" \n"), k=3)


def test_mined_rows_are_read_back_and_not_mined_again(tmp_path: Path) -> None:
    stages: list[str] = []
    first = mine_into(tmp_path, POOL, k=5, progress=lambda stage, *_: stages.append(stage))
    assert first == mine(POOL, k=5) == load_mined(tmp_path, POOL) and stages
    stages.clear()
    assert mine_into(tmp_path, POOL, k=5, progress=lambda stage, *_: stages.append(stage)) == first
    assert not stages
    assert json.loads((tmp_path / "mined.jsonl").read_text().splitlines()[0]) == {
        "anchor": "e0",
        "candidates": list(first[0].candidates),
    }


def test_a_folder_mined_otherwise_is_refused_with_the_difference(tmp_path: Path) -> None:
    mine_into(tmp_path, POOL, k=5)
    with pytest.raises(UsageError, match=r"mine\.json was made with something else: k was 5 and is now 6"):
        mine_into(tmp_path, POOL, k=6)
    other = changed(POOL, 4, rationale="Another one.")
    with pytest.raises(UsageError, match=r"mine\.json .*: pool was .* and is now"):
        mine_into(tmp_path, other, k=5)
    with pytest.raises(UsageError, match=r"mine\.json .*: pool was "):
        load_mined(tmp_path, other)
    (tmp_path / "mined.jsonl").write_text((tmp_path / "mined.jsonl").read_text().replace("e7", "e8", 1))
    with pytest.raises(UsageError, match=r"mined\.jsonl is not what mine\.json describes; delete"):
        mine_into(tmp_path, POOL, k=5)
    (tmp_path / "mine.json").write_text("{")
    with pytest.raises(UsageError, match=r"mine\.json cannot be read"):
        mine_into(tmp_path, POOL, k=5)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"anchor": "e1"}', "line 2: 'candidates' must be"),
        ('{"anchor": "e1", "candidates": []}', "line 2: 'candidates' must be"),
        ('{"anchor": 1, "candidates": ["e2"]}', "line 2: 'anchor' must be"),
        ('{"anchor": "e1", "candidates": ["x"]}', "line 2: the id 'x' is not in toy pool"),
        ('{"anchor": "e1", "candidates": ["e1"]}', "line 2: each candidate stands once"),
        ('{"anchor": "e1", "candidates": ["e2", "e2"]}', "line 2: each candidate stands once"),
        ('{"anchor": "e0", "candidates": ["e2"]}', "line 2: the anchor 'e0' has a row already, in line 1"),
        ('{"anchor": "e1", "cand', "line 2, column"),
    ],
)
def test_rows_of_another_make_are_refused_with_file_and_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "mined.jsonl"
    path.write_text('{"anchor": "e0", "candidates": ["e1"]}\n' + line + "\n")
    with pytest.raises(UsageError, match=said) as error:
        read_mined(path, POOL)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("scores", ["[1.0, 2.0]", '["1"]', "[true]", "null", "[NaN]"])
def test_scores_that_are_none_are_refused(tmp_path: Path, scores: str) -> None:
    (tmp_path / "scored.jsonl").write_text(f'{{"anchor": "e0", "candidates": ["e1"], "scores": {scores}}}\n')
    with pytest.raises(UsageError, match=r"scored\.jsonl, line 1"):
        read_scored(tmp_path / "scored.jsonl", POOL)


def test_a_folder_that_cannot_be_written_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DqloreError, match=r"file/mined\.jsonl cannot be written"):
        mine_into(tmp_path / "file", POOL, k=3)


KILLED = """
import os, signal, sys
from pathlib import Path
from dqlore.core.train.mine import mine_into
from toys import toy_pool

def progress(stage, done, total):
    if done:
        os.kill(os.getpid(), signal.SIGKILL)

mine_into(Path(sys.argv[1]), toy_pool(300), k=5, progress=progress)
"""


def test_a_killed_mining_leaves_nothing_half_done(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "out")], env=environment, check=False)
    assert run.returncode == -9
    assert mine_into(tmp_path / "out", toy_pool(300), k=5) == mine(toy_pool(300), k=5)
    mine_into(tmp_path / "whole", toy_pool(300), k=5)
    for name in ("mined.jsonl", "mine.json"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_the_whole_of_gsm8k_takes_seconds(data: Path) -> None:
    pool = load_dataset("gsm8k", "train", data_dir=data)
    start = time.process_time()
    rows = mine(pool)
    assert time.process_time() - start < 30
    assert [len(row.candidates) for row in rows] == [49] * 7473
    assert isinstance(rows[0], Mined)


def test_a_file_without_rows_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "mined.jsonl"
    file.write_text("\n")
    with pytest.raises(UsageError, match="holds no rows"):
        read_mined(file, Pool(()))
