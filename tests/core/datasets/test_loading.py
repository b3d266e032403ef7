import json
from pathlib import Path
from typing import Any

import pytest

from dqlore.core.datasets import DATASETS, find_dataset, load_dataset, missing_rows
from dqlore.core.errors import UsageError

ROWS: dict[str, dict[str, Any]] = {
    "gsm8k": {
        "question": "A box holds 400 nails. How many do 3 boxes hold?",
        "answer": "3 boxes of 400 are <<3*400=1200>>1,200.\n#### 1,200",
    },
    "svamp": {
        "ID": "own-1",
        "Body": "A baker lays 4 rolls on each of 2 trays",
        "Question": "How many rolls are there?",
        "Answer": 8.0,
        "Type": "Multiplication",
        "complex_cot": "A: Let's think step by step:\n2 trays of 4 are <<2*4=8>>8 rolls.\nThe answer is 8 rolls.",
    },
    "aqua": {
        "question": "A pump fills 3 tanks in 2 hours. How many in 8?",
        "options": ["A)9", "B)10", "C)12", "D)14", "E)16"],
        "rationale": "8 is 4 times 2.\nSo it fills 12.\nAnswer: C",
        "correct": "C",
    },
    "multiarith": {"iIndex": 0, "sQuestion": " Ana has 4 kites and makes 3. How many? ", "lSolutions": [7.0]},
    "singleeq": {"sQuestion": "A third of 2 litres is how much?", "lSolutions": [0.6666666666666666]},
    "addsub": {"sQuestion": "Ana had 9.5 metres and cut 2. What is left ?", "lSolutions": ["7.5"]},
    "strategyqa": {
        "input": "Could a heron stand in a bathtub?",
        "target_scores": {"Yes": 1, "No": 0},
        "target": "Yes. Herons are a metre tall. Bathtubs are open.",
    },
    "commonsenseqa": {
        "id": "own-1",
        "answerKey": "B",
        "question": {
            "stem": "Where do you hang a wet towel?",
            "choices": [{"label": "A", "text": "oven"}, {"label": "B", "text": "clothes line"}],
        },
    },
    "qasc": {
        "id": "own-1",
        "answerKey": "A",
        "question": {
            "stem": "What does frost harm?",
            "choices": [{"label": "A", "text": "buds"}, {"label": "B", "text": "rocks"}],
        },
        "fact1": "Frost freezes water.",
        "fact2": "Buds hold water",
        "combinedfact": "Frost harms buds.",
    },
}


def write(folder: Path, name: str, rows: list[Any], split: str | None = None) -> Path:
    """Write `rows` as the file of a dataset's split, in the format its name tells."""
    dataset = DATASETS[name]
    path = folder / name / dataset.files[split or dataset.splits[0]]
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text(json.dumps({"examples": rows} if name == "strategyqa" else rows))
    return path


@pytest.mark.parametrize(
    ("name", "question", "rationale", "answer", "options"),
    [
        ("gsm8k", "A box holds 400 nails. How many do 3 boxes hold?", "3 boxes of 400 are 1,200.", "1200", ()),
        (
            "svamp",
            "A baker lays 4 rolls on each of 2 trays How many rolls are there?",
            "2 trays of 4 are 8 rolls.",
            "8",
            (),
        ),
        (
            "aqua",
            "A pump fills 3 tanks in 2 hours. How many in 8?",
            "8 is 4 times 2.\nSo it fills 12.",
            "C",
            ("9", "10", "12", "14", "16"),
        ),
        ("multiarith", "Ana has 4 kites and makes 3. How many?", "", "7", ()),
        ("singleeq", "A third of 2 litres is how much?", "", "0.6666666666666666", ()),
        ("addsub", "Ana had 9.5 metres and cut 2. What is left ?", "", "7.5", ()),
        ("strategyqa", "Could a heron stand in a bathtub?", "Herons are a metre tall. Bathtubs are open.", "yes", ()),
        ("commonsenseqa", "Where do you hang a wet towel?", "", "B", ("oven", "clothes line")),
        (
            "qasc",
            "What does frost harm?",
            "Frost freezes water. Buds hold water. Frost harms buds.",
            "A",
            ("buds", "rocks"),
        ),
    ],
)
def test_a_row_becomes_an_exemplar(
    tmp_path: Path, name: str, question: str, rationale: str, answer: str, options: tuple[str, ...]
) -> None:
    path = write(tmp_path, name, [ROWS[name]])
    split = DATASETS[name].splits[0]
    pool = load_dataset(name, split, data_dir=tmp_path)
    exemplar = pool[0]
    assert exemplar.id == f"{name}-{split}-1"
    assert (exemplar.question, exemplar.rationale, exemplar.answer) == (question, rationale, answer)
    assert exemplar.options == options
    assert pool.source == str(path)


@pytest.mark.parametrize(
    ("name", "row", "question", "answer"),
    [
        ("multiarith", {"question": "4 and 3?", "final_ans": "7"}, "4 and 3?", "7"),
        ("strategyqa", {"question": "Do fish swim?", "answer": True, "facts": "They do."}, "Do fish swim?", "yes"),
        (
            "commonsenseqa",
            {"question": "Where?", "choices": {"label": ["A", "B"], "text": ["here", "there"]}, "answerKey": "B"},
            "Where?",
            "B",
        ),
        ("svamp", {"Body": "He has 4.", "Question": "And 3?", "Answer": "7.0"}, "He has 4. And 3?", "7.0"),
    ],
)
def test_the_shapes_of_the_hub_are_read_too(name: str, row: dict[str, Any], question: str, answer: str) -> None:
    exemplar = DATASETS[name].parse(row, "1")
    assert (exemplar.question, exemplar.answer) == (question, answer)


def test_xquad_keeps_all_gold_answers_and_the_paragraph(tmp_path: Path) -> None:
    answers = [{"text": "a heron", "answer_start": 3}, {"text": "heron"}, {"text": "heron"}]
    qas = [{"id": "h1", "question": "Who waded?", "answers": answers}]
    file = {"data": [{"title": "Pond_birds", "paragraphs": [{"context": "It was a heron.", "qas": qas}]}]}
    path = tmp_path / "xquad" / "xquad.en.json"
    path.parent.mkdir()
    path.write_text(json.dumps(file))
    exemplar = load_dataset("xquad", "test", data_dir=tmp_path)[0]
    assert (exemplar.id, exemplar.question, exemplar.answer) == ("xquad-test-1", "Who waded?", "a heron")
    meta = {"id": "h1", "answers": ["a heron", "heron"], "context": "It was a heron.", "title": "Pond birds"}
    assert exemplar.meta == meta
    hub = {"id": "h1", "question": "Who waded?", "context": "It was a heron.", "answers": {"text": ["a heron"]}}
    assert DATASETS["xquad"].parse(hub, "1").meta["answers"] == ["a heron"]
    for wrong in (
        {**qas[0], "answers": []},
        {**qas[0], "answers": 1},
        {**qas[0], "answers": [{"text": ""}]},
        {**qas[0], "question": 7},
    ):
        file["data"][0]["paragraphs"][0]["qas"] = [qas[0], wrong]
        path.write_text(json.dumps(file))
        with pytest.raises(UsageError, match=r"article 1, paragraph 1, question 2: the field '(answers|question)'"):
            load_dataset("xquad", "test", data_dir=tmp_path)


def test_aqua_options_as_one_text(tmp_path: Path) -> None:
    write(tmp_path, "aqua", [ROWS["aqua"] | {"options": "(A)9 (B)10 (C)12 (D)44 (E)50%"}])
    assert load_dataset("aqua", "train", data_dir=tmp_path)[0].options == ("9", "10", "12", "44", "50%")


def test_calculator_marks_on_request_and_a_limit(tmp_path: Path) -> None:
    write(tmp_path, "gsm8k", [ROWS["gsm8k"]] * 3)
    pool = load_dataset("gsm8k", "train", data_dir=tmp_path, limit=2, calculator_marks=True)
    assert [e.id for e in pool] == ["gsm8k-train-1", "gsm8k-train-2"]
    assert pool[0].rationale == "3 boxes of 400 are <<3*400=1200>>1,200."


def test_the_folder_may_come_from_the_environment_or_be_the_datasets_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "gsm8k", [ROWS["gsm8k"]])
    monkeypatch.setenv("DQLORE_DATA", str(tmp_path))
    assert len(load_dataset("gsm8k", "train")) == 1
    assert len(load_dataset("gsm8k", "train", data_dir=tmp_path / "gsm8k")) == 1


def test_fewer_rows_than_published_are_worth_a_warning(tmp_path: Path) -> None:
    write(tmp_path, "gsm8k", [ROWS["gsm8k"]] * 2, "test")
    write(tmp_path, "aqua", [ROWS["aqua"]])
    warning = missing_rows("gsm8k", "test", load_dataset("gsm8k", "test", data_dir=tmp_path))
    assert warning is not None
    assert "2 of the 1,319 rows" in warning
    assert missing_rows("aqua", "train", load_dataset("aqua", "train", data_dir=tmp_path)) is None


def without(name: str, field: str) -> dict[str, Any]:
    return {key: value for key, value in ROWS[name].items() if key != field}


@pytest.mark.parametrize(
    ("name", "row", "said"),
    [
        ("gsm8k", without("gsm8k", "answer"), ["line 2", "no field 'answer'", "found: question", "#### 72"]),
        ("gsm8k", ROWS["gsm8k"] | {"answer": "It is 5."}, ["line 2", "no line '#### 72'"]),
        ("gsm8k", ROWS["gsm8k"] | {"answer": "So\n#### many"}, ["line 2", "'many' is no number"]),
        ("gsm8k", ROWS["gsm8k"] | {"question": 5}, ["line 2", "'question' should be a text and is 5"]),
        ("svamp", without("svamp", "Answer"), ["item 2", "'Answer' should be one number and is missing"]),
        ("aqua", ROWS["aqua"] | {"options": 5}, ["item 2", "'options' should be a list"]),
        ("aqua", ROWS["aqua"] | {"correct": "F"}, ["item 2", "'F' is no choice"]),
        ("multiarith", ROWS["multiarith"] | {"lSolutions": [1, 2]}, ["item 2", "'lSolutions' should be one number"]),
        ("strategyqa", ROWS["strategyqa"] | {"target_scores": {"Yes": 0, "No": 0}}, ["example 2", "target_scores"]),
        ("commonsenseqa", ROWS["commonsenseqa"] | {"answerKey": "Z"}, ["line 2", "'Z', which is none of A, B"]),
        ("qasc", ROWS["qasc"] | {"question": {"stem": "Why?"}}, ["line 2", "'choices' should be a list"]),
    ],
)
def test_a_wrong_row_is_named_with_what_was_expected(tmp_path: Path, name: str, row: Any, said: list[str]) -> None:
    path = write(tmp_path, name, [ROWS[name], row])
    with pytest.raises(UsageError) as error:
        load_dataset(name, DATASETS[name].splits[0], data_dir=tmp_path)
    for part in (str(path), *said, DATASETS[name].shape):
        assert part in str(error.value)


@pytest.mark.parametrize("name", ["gsm8k", "svamp", "strategyqa"])
def test_a_file_cut_off_in_the_middle_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, [ROWS[name], ROWS[name]])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UsageError, match=r"line \d+, column \d+: not valid JSON"):
        load_dataset(name, DATASETS[name].splits[0], data_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gsm8k", b"", "is empty"),
        ("gsm8k", b"\n\n", "has no rows"),
        ("svamp", b"[]", "has no rows"),
        ("strategyqa", b"", "is empty"),
        ("strategyqa", b"[1, 2]", "list 'examples'"),
        ("strategyqa", b'{"examples": [3]}', "example 1"),
        ("strategyqa", b"\xff\xfe\x00", "not UTF-8"),
        ("strategyqa", b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_without_rows_is_refused(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    write(tmp_path, name, []).write_bytes(content)
    with pytest.raises(UsageError, match=said):
        load_dataset(name, DATASETS[name].splits[0], data_dir=tmp_path)


def test_unknown_names_are_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'gms8k' \(did you mean 'gsm8k'\?\); there are: gsm8k, svamp, aqua"):
        find_dataset("gms8k")
    with pytest.raises(UsageError, match=r"no split 'tset' \(did you mean 'test'\?\); there are: train, test"):
        load_dataset("gsm8k", "tset", data_dir=tmp_path)


def test_missing_files_and_folders_say_where_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file .*gsm8k/test\.jsonl; get test\.jsonl from https://"):
        load_dataset("gsm8k", "test", data_dir=tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        load_dataset("gsm8k", "test", data_dir=tmp_path / "none")


def test_without_a_folder_and_without_the_hub_both_ways_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DQLORE_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError, match=r"--data FOLDER or DQLORE_DATA.*pip install|pip install.*--data FOLDER"):
        load_dataset("gsm8k", "test")
    with pytest.raises(UsageError, match="--data FOLDER or DQLORE_DATA"):
        load_dataset("addsub", "test")
