"""Recorded completions served as a model."""

import contextlib
import json
import time
from pathlib import Path

import pytest

from dqlore.core.errors import LMError, UsageError
from dqlore.core.lm.base import Completion, Sampling
from dqlore.core.lm.replay import ReplayLM
from dqlore.core.options import split_options
from dqlore.core.prompts import Prompt, question_text

from .asking import complete, run, streamed


def recorded(folder: Path, *rows: object) -> Path:
    path = folder / "recorded.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def row(question: str, completion: str) -> dict[str, str]:
    return {"question": question, "completion": completion}


def test_streams_words_that_join_to_the_completion(tmp_path: Path) -> None:
    said = " There are {n} cows.\n\n  7 + 1 = 8 \n"
    lm = ReplayLM(recorded(tmp_path, row("How many cows?", said)))
    pieces, completion = streamed(lm, "how  many\ncows?")
    assert len(pieces) == 10
    assert "".join(pieces) == said
    assert completion == Completion(said)
    assert complete(lm, "How many cows?", Sampling(n=2)) == [completion, completion]


def test_unknown_question_names_file_and_question(tmp_path: Path) -> None:
    lm = ReplayLM(recorded(tmp_path, row("How many cows?", "8")))
    with pytest.raises(LMError, match=r"recorded\.jsonl.*'How many hens\?'"):
        complete(lm, "How many hens?")
    with pytest.raises(LMError, match=r"recorded\.jsonl.*'How many hens\?'"):
        streamed(lm, "How many hens?")


def test_probabilities_are_refused(tmp_path: Path) -> None:
    lm = ReplayLM(recorded(tmp_path, row("How many cows?", "8")))
    with pytest.raises(LMError, match="log-probabilities"):
        run(lm.log_likelihoods([(Prompt("How many cows?"), "8")]))
    with pytest.raises(LMError, match="log-probabilities"):
        complete(lm, "How many cows?", Sampling(logprobs=True))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{broken", "not a JSON object"),
        (b'["question"]', "not a JSON object"),
        (b'{"question": "a"}', "'completion' is missing"),
        (b'{"question": 1, "completion": "b"}', "'question' is not a text"),
        (b'{"question": "a", "completion": null}', "'completion' is not a text"),
        (b'{"question": "\xff", "completion": "b"}', "not a JSON object"),
    ],
)
def test_bad_row_names_file_and_line(tmp_path: Path, line: bytes, told: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(json.dumps(row("good", "x")).encode() + b"\n\n" + line + b"\n")
    with pytest.raises(UsageError, match=rf"bad\.jsonl:3: {told}"):
        ReplayLM(path)


def test_missing_and_empty_file_are_usage_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.jsonl.*No such file"):
        ReplayLM(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="no rows"):
        ReplayLM(recorded(tmp_path))


def test_first_of_two_rows_counts_and_a_difference_is_told(tmp_path: Path) -> None:
    same = ReplayLM(recorded(tmp_path, row("How many?", "8"), row("how many? ", "8")))
    assert same.notices == []
    lm = ReplayLM(recorded(tmp_path, row("How many?", "8"), row("how many? ", "9")))
    assert complete(lm, "How many?")[0].text == "8"
    assert len(lm.notices) == 1
    assert "1 rows repeat" in lm.notices[0]


def test_identity_follows_the_content(tmp_path: Path) -> None:
    first = ReplayLM(recorded(tmp_path, row("How many?", "8")))
    again = ReplayLM(recorded(tmp_path, row("How many?", "8")))
    other = ReplayLM(recorded(tmp_path, row("How many?", "9")))
    assert first.identity == again.identity != other.identity
    assert first.name == f"replay:{tmp_path / 'recorded.jsonl'}"


def test_options_are_found_however_they_are_written(tmp_path: Path) -> None:
    lm = ReplayLM(
        recorded(
            tmp_path,
            row("Which? Answer Choices: (A) one (B) two", "A"),
            row("Which? Answer Choices: (A) one (B) ten", "B"),
            row("Whose? Options: (A) his (B) hers", "C"),
        )
    )
    assert complete(lm, question_text("Which?", ["one", "two"]))[0].text == "A"
    assert complete(lm, question_text("Which?", ["one", "ten"]))[0].text == "B"
    assert complete(lm, question_text("Whose?", ["his own", "her own"]))[0].text == "C"
    assert complete(lm, "Whose?")[0].text == "C"
    with pytest.raises(LMError):  # two rows begin so
        complete(lm, question_text("Which?", ["other", "options"]))


def test_published_multiple_choice_questions_find_their_recording(data: Path) -> None:
    lm = ReplayLM(data / "recorded" / "aqua_test_first120.jsonl")
    found = 0
    for item in json.loads((data / "aqua" / "test.json").read_text()):
        with contextlib.suppress(LMError):
            complete(lm, question_text(item["question"], split_options(item["options"])))
            found += 1
    assert found == 120


def test_a_whole_test_set_replays_within_seconds(data: Path) -> None:
    lm = ReplayLM(data / "recorded" / "gsm8k_test.jsonl")
    lines = (data / "gsm8k" / "test.jsonl").read_text().splitlines()

    async def all_of_them() -> int:
        done = 0
        for line in lines:
            async for item in lm.stream(Prompt(json.loads(line)["question"]), Sampling()):
                done += isinstance(item, Completion)
        return done

    began = time.monotonic()
    assert run(all_of_them()) == 1319
    assert time.monotonic() - began < 10
