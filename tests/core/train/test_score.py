"""Scoring: the right texts in the right order, a log that a killed run goes on with, and clear refusals."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dqlore.core.errors import ContextOverflow, DqloreError, LMError, UsageError
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.lm.base import LogLikelihood
from dqlore.core.lm.local import LocalLM
from dqlore.core.lm.openai import Endpoint, OpenAILM
from dqlore.core.lm.replay import ReplayLM
from dqlore.core.prompts import Prompt
from dqlore.core.train.mine import mine
from dqlore.core.train.rows import Scored
from dqlore.core.train.score import ScoreReport, load_scored, score_into, units_of_work
from stub_server import StubServer, json_reply
from tiny_lm import tiny_lm
from toys import ScriptedLM, toy_pool

POOL = toy_pool(24)
MINED = mine(POOL, k=6)
PAIRS = 24 * 6


class CountingLM(ScriptedLM):
    """Scores by the lengths of the texts and remembers each pair; `window` is in characters."""

    def __init__(self, window: int = 10**6, breaks_after: int = 10**6) -> None:
        super().__init__()
        self.pairs: list[tuple[Prompt, str]] = []
        self._window = window
        self._breaks_after = breaks_after

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        if any(len(prompt.text()) + len(text) > self._window for prompt, text in pairs):
            raise ContextOverflow("the prompt is too long")
        if len(self.pairs) + len(pairs) > self._breaks_after:
            raise LMError("the server went away")
        self.pairs += pairs
        return [LogLikelihood(-len(prompt.text()) / 7, len(text.split())) for prompt, text in pairs]


@pytest.fixture(scope="module")
def lm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models") / "tiny"


@pytest.fixture(scope="module")
def local(lm_folder: Path, model_cache: Path) -> LocalLM:
    return tiny_lm(lm_folder, model_cache)


def score(out: Path, lm: Any, **more: Any) -> ScoreReport:
    return asyncio.run(score_into(out, POOL, MINED, lm, **more))


def test_a_score_is_the_rationale_after_exemplar_and_question(tmp_path: Path) -> None:
    lm = CountingLM()
    report = score(tmp_path, lm, instruction="Solve it.")
    assert report.pairs == len(lm.pairs) == PAIRS and not report.known and not report.cut
    by_text = {(prompt.text(), text): prompt for prompt, text in lm.pairs}
    for mined, row in zip(MINED, report.rows, strict=True):
        assert (row.anchor, row.candidates) == (mined.anchor, mined.candidates)
        anchor = next(e for e in POOL if e.id == row.anchor)
        for candidate, value in zip(row.candidates, row.scores, strict=True):
            d = next(e for e in POOL if e.id == candidate)
            text = (
                f"Solve it.\n\nQuestion: {d.question}\nAnswer: {d.rationale}\nThe answer is {d.answer}.\n\n"
                f"Question: {anchor.question}\nAnswer:"
            )
            assert (text, anchor.rationale) in by_text
            assert value == -len(text) / 7
    assert load_scored(tmp_path, POOL) == report.rows
    first = json.loads((tmp_path / "scored.jsonl").read_text().splitlines()[0])
    assert first == {
        "anchor": "e0",
        "candidates": list(report.rows[0].candidates),
        "scores": list(report.rows[0].scores),
    }


def test_options_stand_in_the_prompt(tmp_path: Path) -> None:
    pool = Pool(tuple(replace(e, options=("one", "two"), answer="A") for e in toy_pool(4)))
    lm = CountingLM()
    asyncio.run(score_into(tmp_path, pool, mine(pool, k=2), lm))
    assert all(prompt.text().count("(A) one\n(B) two") == 2 for prompt, _ in lm.pairs)


def test_a_normalized_score_is_one_per_token_and_needs_no_new_scoring(tmp_path: Path) -> None:
    lm = CountingLM()
    sums = score(tmp_path, lm).rows
    report = score(tmp_path, lm, normalize=True)
    assert report.known == len(lm.pairs) == PAIRS
    words = {e.id: len(e.rationale.split()) for e in POOL}
    for row, total in zip(report.rows, sums, strict=True):
        assert row.scores == pytest.approx([s / words[row.anchor] for s in total.scores])
    assert score(tmp_path, lm).rows == sums


def test_pairs_with_the_same_exemplar_stand_together_in_units_of_like_size() -> None:
    pool = toy_pool(200)
    units = list(units_of_work(mine(pool, k=20), pool))
    pairs = [pair for unit in units for pair in unit]
    assert len(pairs) == len(set(pairs)) == 200 * 20
    assert all(64 <= len(unit) < 128 for unit in units[:-1])
    order = [candidate for _, candidate in pairs]
    assert order == sorted(order, key=lambda name: int(name[1:]))


def test_progress_begins_with_what_is_known(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    with pytest.raises(LMError, match="went away"):
        score(tmp_path, CountingLM(breaks_after=100))
    score(tmp_path, CountingLM(), progress=lambda *report: told.append(report))
    assert 0 < told[0][1] <= 100
    assert told[-1] == ("score", PAIRS, PAIRS)
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})


def test_a_broken_run_goes_on_without_scoring_anything_twice(tmp_path: Path) -> None:
    first, second = CountingLM(breaks_after=100), CountingLM()
    with pytest.raises(LMError, match="went away"):
        score(tmp_path / "broken", first)
    report = score(tmp_path / "broken", second)
    assert report.known == len(first.pairs) > 0
    assert len(first.pairs) + len(second.pairs) == PAIRS
    assert report.rows == score(tmp_path / "whole", CountingLM()).rows
    same_files(tmp_path / "broken", tmp_path / "whole")


def same_files(one: Path, other: Path) -> None:
    for name in ("scored.jsonl", "score.json", "scores.log.jsonl"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from dqlore.core.train.mine import mine
from dqlore.core.train.score import score_into
from test_score import CountingLM, MINED, POOL

class Mortal(CountingLM):
    async def log_likelihoods(self, pairs):
        if len(self.pairs) > 50:
            os.kill(os.getpid(), signal.SIGKILL)
        found = await super().log_likelihoods(pairs)
        with open(sys.argv[2], "a") as file:
            file.write(str(len(self.pairs)) + "\\n")
        return found

asyncio.run(score_into(Path(sys.argv[1]), POOL, MINED, Mortal()))
"""


def test_a_killed_run_goes_on_without_scoring_anything_twice(tmp_path: Path) -> None:
    here = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(here.parents[1])])}
    counts = tmp_path / "counts"
    command = [sys.executable, "-c", KILLED, str(tmp_path / "killed"), str(counts)]
    assert subprocess.run(command, env=environment, check=False).returncode == -9
    assert not (tmp_path / "killed" / "scored.jsonl").exists()
    lm = CountingLM()
    report = score(tmp_path / "killed", lm)
    assert report.known == int(counts.read_text().splitlines()[-1]) > 50
    assert report.known + len(lm.pairs) == PAIRS
    score(tmp_path / "whole", CountingLM())
    same_files(tmp_path / "killed", tmp_path / "whole")


@pytest.mark.parametrize("kept", [0, 1, 1.5, 2])
def test_a_torn_log_of_the_local_model_gives_the_same_bits(tmp_path: Path, local: LocalLM, kept: float) -> None:
    score(tmp_path / "whole", local)
    lines = (tmp_path / "whole" / "scores.log.jsonl").read_bytes().splitlines(keepends=True)
    whole, part = int(kept), kept % 1
    torn = b"".join(lines[:whole]) + lines[whole][: int(part * len(lines[whole]))]
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "scores.log.jsonl").write_bytes(torn)
    report = score(tmp_path / "torn", local)
    assert (report.known == 0) is (kept < 2)
    same_files(tmp_path / "torn", tmp_path / "whole")


def test_scores_of_the_local_model_are_those_of_single_pairs(tmp_path: Path, local: LocalLM) -> None:
    report = score(tmp_path / "out", local, instruction="Solve it.")
    recording = CountingLM()
    score(tmp_path / "texts", recording, instruction="Solve it.")
    alone = {(p.text(), t): asyncio.run(local.log_likelihoods([(p, t)]))[0].total for p, t in recording.pairs[:40]}
    found = {
        (prompt.text(), text): value
        for (prompt, text), value in zip(recording.pairs, in_unit_order(report.rows), strict=True)
    }
    for pair, total in alone.items():
        assert found[pair] == pytest.approx(total, rel=1e-5)


def in_unit_order(rows: Sequence[Scored]) -> list[float]:
    of_pair = {(row.anchor, c): s for row in rows for c, s in zip(row.candidates, row.scores, strict=True)}
    return [of_pair[pair] for unit in units_of_work(MINED, POOL) for pair in unit]


def test_exemplars_too_long_for_the_window_lose_their_beginning_and_are_counted(
    tmp_path: Path, lm_folder: Path, model_cache: Path
) -> None:
    long = Exemplar("long", POOL[0].question, " ".join(["and one more apple"] * 200) + " ends here", "3")
    pool = Pool((*POOL, long))
    lm = tiny_lm(lm_folder, model_cache, window=400)
    mined = [replace(row, candidates=("long", *row.candidates)) for row in MINED[1:3]]
    report = asyncio.run(score_into(tmp_path / "out", pool, mined, lm))
    assert (report.cut, report.pairs) == (2, 14)
    rows = [json.loads(line) for line in (tmp_path / "out" / "scores.log.jsonl").read_text().splitlines()[1:]]
    tokens = {(anchor, candidate): (count, cut) for row in rows for anchor, candidate, _, count, cut in row["pairs"]}
    for row in mined:
        counts = {tokens[row.anchor, candidate][0] for candidate in row.candidates}
        assert len(counts) == 1  # the rationale is whole after the long exemplar as after the short ones
        assert [tokens[row.anchor, candidate][1] for candidate in row.candidates] == [True] + [False] * 6


def test_an_endpoint_that_refuses_a_long_prompt_is_asked_with_the_end_of_the_exemplar(tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(300)]
    long = Exemplar("long", "A long one?", " ".join(words), "3")
    pool = Pool((*POOL, long))
    lm = CountingLM(window=700)
    mined = [replace(MINED[1], candidates=("long", *MINED[1].candidates))]
    report = asyncio.run(score_into(tmp_path, pool, mined, lm))
    assert (report.cut, report.pairs) == (1, 7)
    cut = next(prompt for prompt, _ in lm.pairs if "w299" in prompt.text())
    assert 0 < len(cut.ranked[0].reply.split()) < 200
    assert cut.ranked[0].reply.endswith("w299\nThe answer is 3.") and cut.question == POOL[1].question


@pytest.mark.parametrize("is_local", [True, False])
def test_a_rationale_that_no_prompt_leaves_room_for_is_named(
    tmp_path: Path, lm_folder: Path, model_cache: Path, is_local: bool
) -> None:
    pool = Pool((*POOL, Exemplar("endless", "Why?", " ".join(["because"] * 200), "3")))
    lm = tiny_lm(lm_folder, model_cache, window=100) if is_local else CountingLM(window=700)
    mined = [replace(MINED[0], anchor="endless")]
    with pytest.raises(LMError, match=r"'endless' do not fit the window of .* even without an exemplar: take it out"):
        asyncio.run(score_into(tmp_path / "out", pool, mined, lm))


def test_models_without_log_probabilities_are_a_clear_error(tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.jsonl"
    recorded.write_text('{"question": "q", "completion": "c"}\n')
    with pytest.raises(LMError, match="log-probabilities"):
        score(tmp_path / "replay", ReplayLM(recorded))
    reply = json_reply({"choices": [{"text": "x", "logprobs": None, "finish_reason": "length"}]})
    with StubServer([reply]) as server:

        async def ask() -> None:
            lm = OpenAILM(Endpoint(model="m", base_url=server.url, api="completions", max_retries=0))
            try:
                await score_into(tmp_path / "endpoint", POOL, MINED, lm)
            finally:
                await lm.aclose()

        with pytest.raises(LMError, match="log-probabilities"):
            asyncio.run(ask())


def test_scores_that_are_no_numbers_stop_the_run_and_are_not_kept(tmp_path: Path) -> None:
    class Overflowing(CountingLM):
        async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
            return [LogLikelihood(float("nan"), 3) for _ in pairs]

    with pytest.raises(LMError, match=r"scripted gives the rationale of 'e\d+' after 'e\d+' the log-likelihood nan"):
        score(tmp_path, Overflowing())
    assert score(tmp_path, CountingLM()).known == 0


def other_instruction(out: Path) -> None:
    score(out, CountingLM(), instruction="Another.")


def other_rows(out: Path) -> None:
    asyncio.run(score_into(out, POOL, MINED[:5], CountingLM()))


def other_model(out: Path) -> None:
    lm = CountingLM()
    lm.identity = lm.name = "another"
    score(out, lm)


@pytest.mark.parametrize(
    ("again", "said"),
    [(other_instruction, "instruction was"), (other_rows, "mined was"), (other_model, 'lm was "scripted"')],
)
def test_scores_by_other_means_are_not_mixed(tmp_path: Path, again: Callable[[Path], None], said: str) -> None:
    score(tmp_path, CountingLM())
    with pytest.raises(UsageError, match=rf"scores\.log\.jsonl was made with something else: .*{said}"):
        again(tmp_path)


def test_scores_from_another_pool_are_refused(tmp_path: Path) -> None:
    score(tmp_path, CountingLM())
    other = Pool((replace(POOL[0], rationale="Changed."), *POOL[1:]))
    with pytest.raises(UsageError, match=r"score\.json .*: pool was"):
        load_scored(tmp_path, other)


@pytest.mark.parametrize("bad", ["{}", "[1, 2]", '{"unit": 1, "pairs": [["e0", "e1", -1.0, 3, false]]}', "\0\0"])
def test_a_damaged_log_is_named_with_its_line(tmp_path: Path, bad: str) -> None:
    score(tmp_path, CountingLM())
    log = tmp_path / "scores.log.jsonl"
    lines = log.read_text().splitlines()
    log.write_text("\n".join([*lines[:2], bad, *lines[3:]]) + "\n")
    with pytest.raises(UsageError, match=r"scores\.log\.jsonl, line 3: .*take it out"):
        score(tmp_path, CountingLM())
    log.write_text("\n".join([*lines[:2], *lines[3:]]) + "\n")
    assert 0 < PAIRS - score(tmp_path, CountingLM()).known < 80


def test_two_processes_do_not_score_into_one_folder(tmp_path: Path) -> None:
    async def twice() -> None:
        class Nested(CountingLM):
            async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
                await score_into(tmp_path, POOL, MINED, CountingLM())
                raise AssertionError

        await score_into(tmp_path, POOL, MINED, Nested())

    with pytest.raises(UsageError, match=r"another process is writing .*scores\.log\.jsonl"):
        asyncio.run(twice())


def test_a_folder_that_cannot_be_written_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DqloreError, match=r"scores\.log\.jsonl cannot be written: .*--resume"):
        score(tmp_path / "file", CountingLM())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_full_disk_is_one_message_and_what_was_scored_is_kept(tmp_path: Path) -> None:
    import resource

    score(tmp_path / "whole", CountingLM())
    size = (tmp_path / "whole" / "scores.log.jsonl").stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, limits[1]))
    try:
        with pytest.raises(
            DqloreError, match=r"scores\.log\.jsonl cannot be written: File too large; what is finished"
        ):
            score(tmp_path / "full", CountingLM())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    report = score(tmp_path / "full", CountingLM())
    assert report.known > 0
    same_files(tmp_path / "full", tmp_path / "whole")
