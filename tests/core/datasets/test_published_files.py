"""The published files load whole. They are found by DQLORE_DATA or beside the checkout, and are no part of it."""

import os
import re
from pathlib import Path

import pytest

from dqlore.core.datasets import DATASETS, load_dataset, missing_rows
from dqlore.core.tasks import extract_answer, infer_kind, is_correct, normalize_answer

FOLDER = Path(os.environ.get("DQLORE_DATA") or Path(__file__).parents[4] / "shared" / "data")

ROWS = {
    ("gsm8k", "train"): 7473,
    ("gsm8k", "test"): 1319,
    ("svamp", "train"): 664,
    ("svamp", "test"): 300,
    ("aqua", "train"): 1000,
    ("aqua", "test"): 254,
    ("multiarith", "test"): 600,
    ("singleeq", "test"): 508,
    ("addsub", "test"): 395,
    ("strategyqa", "test"): 2290,
    ("commonsenseqa", "train"): 9741,
    ("commonsenseqa", "dev"): 1221,
    ("xquad", "test"): 1190,
}


def needs(name: str, split: str) -> None:
    file = FOLDER / name / DATASETS[name].files[split]
    if not file.is_file():
        pytest.skip(f"needs {name} at {file}; set DQLORE_DATA to a folder that has it")


@pytest.mark.parametrize(("name", "split"), ROWS)
def test_every_row_loads_and_every_gold_answer_is_of_its_kind(name: str, split: str) -> None:
    needs(name, split)
    pool = load_dataset(name, split, data_dir=FOLDER)
    kind = DATASETS[name].kind
    assert len(pool) == ROWS[name, split]
    assert missing_rows(name, split, pool) is None
    assert len({e.id for e in pool}) == len(pool)
    assert all(normalize_answer(kind, e.answer) == e.answer for e in pool)
    assert infer_kind((e.answer, e.options) for e in pool) == kind


@pytest.mark.parametrize(
    ("name", "mark"),
    [("gsm8k", r"<<|>>|####"), ("svamp", r"<<|\\n|\AA:|The answer is"), ("aqua", r"\r")],
)
def test_rationales_hold_steps_and_no_marks(name: str, mark: str) -> None:
    needs(name, "train")
    for exemplar in load_dataset(name, "train", data_dir=FOLDER):
        assert exemplar.rationale
        assert not re.search(mark, exemplar.rationale)


@pytest.mark.parametrize("split", ["train", "test"])
def test_whole_gsm8k_solutions_are_read_as_their_gold_answer(split: str) -> None:
    needs("gsm8k", split)
    for exemplar in load_dataset("gsm8k", split, data_dir=FOLDER, calculator_marks=True):
        solution = f"{exemplar.rationale}\n#### {exemplar.answer}"
        assert is_correct("number", extract_answer("number", solution), exemplar.answer)


def test_aqua_options_carry_no_letters() -> None:
    needs("aqua", "test")
    pool = load_dataset("aqua", "test", data_dir=FOLDER)
    assert all(len(e.options) == 5 for e in pool)
    assert not any(re.match(r"\(?[A-E]\)", option) for e in pool for option in e.options)
