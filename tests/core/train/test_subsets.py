import asyncio
import json
from dataclasses import replace

import pytest

from dqlore.core.errors import ContextOverflow, LMError, UsageError
from dqlore.core.exemplars import Pool
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
    return asyncio.run(score_sets_into(out, pool, mined, ToyEncoder(), lm, **settings)).rows


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


def test_a_score_that_is_no_number_names_its_anchor(tmp_path):
    class Broken(CountingLM):
        async def log_likelihoods(self, pairs):
            return [LogLikelihood(float("nan"), 3) for _ in pairs]

    with pytest.raises(LMError, match=r"rationale of 'e0' after 'e\d+', 'e\d+' the log-likelihood nan"):
        score(tmp_path, Broken())


def test_sets_that_a_server_finds_too_long_lose_their_beginning_and_are_counted(tmp_path):
    class Short(CountingLM):
        async def log_likelihoods(self, pairs):
            if any(len(prompt.text()) > 250 for prompt, _ in pairs):
                raise ContextOverflow("too long")
            return await super().log_likelihoods(pairs)

    pool, lm = toy_pool(12), Short()
    made = asyncio.run(score_sets_into(tmp_path, pool, mine(pool, k=6), ToyEncoder(), lm, size=2, count=3, seed=0))
    assert made.sets == len(lm.asked) == 36 and 0 < made.cut <= 36
    assert json.loads((tmp_path / "subsets.json").read_text())["cut"] == made.cut
    by_id, row = {e.id: e for e in pool}, made.rows[4]
    best = by_id[row.candidates[row.sets[0][0]]]
    prompt = next(text for text, target in lm.asked if target == by_id["e4"].rationale)
    assert prompt.startswith("Question:") and f"The answer is {best.answer}." in prompt


def test_what_is_scored_is_the_rationale_without_the_space_around_it(tmp_path):
    lm = CountingLM()
    score(tmp_path, lm, pool=Pool(tuple(replace(e, rationale=f"\n {e.rationale} \n") for e in toy_pool(12))))
    assert all(target == target.strip() for _, target in lm.asked)


def test_ids_may_hold_any_character(tmp_path):
    pool = Pool(tuple(replace(e, id=f"{e.id}\u2028x") for e in toy_pool(12)))
    rows = score(tmp_path, CountingLM(), pool=pool)
    assert read_subsets(tmp_path, pool) == rows and len(rows) == 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"anchor": 3}, "'anchor' must be"),
        ({"anchor": "e99"}, "'e99' is not in"),
        ({"candidates": ["e2", "e99"]}, "'e99' is not in"),
        ({"candidates": None}, "'candidates' must be"),
        ({"sets": None}, "'sets' must be"),
        ({"sets": [[0, 2]]}, "places from 0 to 1"),
        ({"sets": [[0, -1]]}, "places from 0 to 1"),
        ({"sets": [[0, 0]]}, "different places"),
        ({"sets": [[0], [0, 1]]}, "sets of one size"),
        ({"sets": [0]}, "'sets' must be"),
        ({"sets": [["a", 1]]}, "'sets' must be"),
        ({"scores": ["-1"]}, "'scores' must be"),
        ({"scores": [-1, -2]}, "one for each set"),
        ({"scores": [10**400]}, "too large"),
    ],
)
def test_a_row_that_is_wrong(tmp_path, change, message):
    right = {"anchor": "e1", "candidates": ["e2", "e3"], "sets": [[0, 1]], "scores": [-1.5]}
    path = tmp_path / "subsets.jsonl"
    path.write_text(json.dumps(right) + "\n")
    assert len(read_subsets(tmp_path, toy_pool(12))) == 1
    path.write_text(json.dumps({**right, "anchor": "e4"}) + "\n" + json.dumps(right | change) + "\n")
    with pytest.raises(UsageError, match=rf"subsets\.jsonl, line 2: .*{message}"):
        read_subsets(tmp_path, toy_pool(12))


def test_sets_of_several_sizes_and_a_file_that_is_missing(tmp_path):
    path = tmp_path / "subsets.jsonl"
    rows = [
        {"anchor": anchor, "candidates": ["e2", "e3"], "sets": [own], "scores": [-1]}
        for anchor, own in (("e1", [0, 1]), ("e4", [0]))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(UsageError, match=r"subsets\.jsonl: its sets are of several sizes"):
        read_subsets(tmp_path, toy_pool(12))
    path.unlink()
    with pytest.raises(UsageError, match="objective ceil"):
        read_subsets(tmp_path, toy_pool(12))
