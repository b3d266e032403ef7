import asyncio
import json

import pytest

from dqlore.core.errors import LMError, UsageError
from dqlore.core.lm.base import LogLikelihood
from dqlore.core.train.mine import mine
from dqlore.core.train.subsets import read_subsets, score_sets_into
from toys import ScriptedLM, ToyEncoder, toy_pool


class CountingLM(ScriptedLM):
    """Gives a score that depends on the pair, and fails after so many."""

    def __init__(self, fail_after: int = 10**9) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []
        self._left = fail_after

    async def log_likelihoods(self, pairs):
        scores = []
        for prompt, text in pairs:
            self._left -= 1
            if self._left < 0:
                raise LMError("gone")
            self.asked.append((prompt.text(), text))
            scores.append(LogLikelihood(-float(len(prompt.text()) % 97) - 1, 3))
        return scores


def score(out, lm, *, pool=None, **changes):
    pool = pool or toy_pool(12)
    settings = {"size": 2, "count": 3, "seed": 0} | changes
    mined = mine(pool, k=6)
    return asyncio.run(score_sets_into(out, pool, mined, ToyEncoder(), lm, **settings))


def test_sets_are_scored_with_all_their_exemplars_the_best_next_to_the_question(tmp_path):
    pool, lm = toy_pool(12), CountingLM()
    rows = score(tmp_path, lm, pool=pool)
    assert len(rows) == 12 and all(len(row.sets) == len(row.scores) == 3 for row in rows)
    by_id = {e.id: e for e in pool}
    prompt, target = lm.asked[0]
    row = rows[0]
    best, second = (by_id[row.candidates[i]] for i in row.sets[0])
    assert target == by_id[row.anchor].rationale
    places = [prompt.index(e.question) for e in (second, best, by_id[row.anchor])]
    assert places == sorted(places)
    assert read_subsets(tmp_path, pool) == rows


def test_a_stopped_run_scores_nothing_twice(tmp_path):
    whole = score(tmp_path / "whole", CountingLM())
    with pytest.raises(LMError):
        score(tmp_path / "stopped", CountingLM(fail_after=17))
    lm = CountingLM()
    assert score(tmp_path / "stopped", lm) == whole
    assert len(lm.asked) == 36 - 15  # five anchors were complete
    assert (tmp_path / "stopped" / "subsets.jsonl").read_bytes() == (
        tmp_path / "whole" / "subsets.jsonl"
    ).read_bytes()


def test_other_sets_are_not_mixed_in(tmp_path):
    score(tmp_path, CountingLM())
    with pytest.raises(UsageError, match="made with something else"):
        score(tmp_path, CountingLM(), seed=1)


def test_too_few_candidates_for_a_set(tmp_path):
    with pytest.raises(UsageError, match=r"6 candidates.*subset_size"):
        score(tmp_path, CountingLM(), size=6)


def test_a_file_that_is_damaged(tmp_path):
    score(tmp_path, CountingLM())
    path = tmp_path / "subsets.jsonl"
    path.write_text(json.dumps({"anchor": "e1"}) + "\n")
    with pytest.raises(UsageError, match=r"subsets\.jsonl"):
        read_subsets(tmp_path, toy_pool(12))
    path.unlink()
    with pytest.raises(UsageError, match="objective ceil"):
        read_subsets(tmp_path, toy_pool(12))
