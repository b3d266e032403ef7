import csv
import json

import pyarrow
import pyarrow.parquet
import pytest

from dqlore.core.errors import UsageError
from dqlore.core.passages import Passage, collection_named, given_passages, load_passages

ROWS = [
    {"id": "h", "title": "Herons", "text": "The heron wades."},
    {"id": "o", "title": "Owls", "text": "The owl hunts."},
]
SQUAD = {
    "data": [
        {
            "title": "Two_Birds",
            "paragraphs": [{"context": "The heron wades.", "qas": []}, {"context": "The owl hunts."}],
        },
        {"title": "", "paragraphs": [{"context": "A swift sleeps.", "qas": [{"id": "1", "question": "Who?"}]}]},
    ]
}


def written(path, rows):
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ["birds.jsonl", "birds.csv", "birds.parquet"])
def test_a_collection_in_any_format(tmp_path, name):
    collection = load_passages(written(tmp_path / name, ROWS))
    assert list(collection) == [Passage(**row) for row in ROWS]
    assert collection.pool[1].question == "Owls" and collection.pool[1].rationale == "The owl hunts."


def test_text_is_all_that_a_passage_needs(tmp_path):
    collection = load_passages(written(tmp_path / "birds.jsonl", [{"text": "One."}, {"text": "Two."}]))
    assert list(collection) == [Passage("1", "", "One."), Passage("2", "", "Two.")]


def test_other_names_are_mapped(tmp_path):
    path = written(tmp_path / "birds.jsonl", [{"docid": 7, "contents": "One."}])
    assert list(load_passages(path, mapping={"text": "contents", "id": "docid"})) == [Passage("7", "", "One.")]


def test_a_squad_file_gives_its_paragraphs(tmp_path):
    path = tmp_path / "birds.json"
    path.write_text(json.dumps(SQUAD, indent=2))
    assert list(load_passages(path)) == [
        Passage("1", "Two Birds", "The heron wades."),
        Passage("2", "Two Birds", "The owl hunts."),
        Passage("3", "", "A swift sleeps."),
    ]


BAD = {
    "birds.jsonl": [
        ("", "empty"),
        ('{"text": "a"}\n{"words": "b"}\n', r"line 2: no field 'text'; fields found: words.*passages\.map"),
        ('{"text": "a"}\n{"text": " "}\n', r"line 2: the field 'text' is empty"),
        ('{"text": "a"}\n{"text": ["b"]}\n', r"line 2: the field 'text' should be a text"),
        ('{"text": "a"}\n{"text": "b"\n', r"line 2, column \d+: not valid JSON"),
        ('{"id": 1, "text": "a"}\n{"text": "b"}\n', "line 2: no id"),
        ('{"id": 1, "text": "a"}\n\n{"id": "1", "text": "b"}\n', r"line 3: the id '1' is taken by .*line 1"),
        ("\n\n", "holds no passages"),
    ],
    "birds.json": [
        ('{"data": []}', "holds no passages"),
        ('{"data": {}}', "list 'data'"),
        ('{"data": [1]}', "article 1: no list 'paragraphs'"),
        ('{"data": [{"paragraphs": [{"context": ""}]}]}', "article 1, paragraph 1: the field 'context'"),
        ('{"data": [{"paragraphs": [{"context": "a", "qas": 1}]}]}', "paragraph 1: the field 'qas'"),
        ('{"data": [{"paragraphs": [', "line 1, column .*cut off"),
        ('{"data": ' + "[" * 100_000, "nested too deeply|not valid JSON"),
    ],
    "birds.csv": [("id,text\n1,a,b\n", "line 2: 3 fields where the header has 2"), ("id,text\n", "only a header")],
    "birds.docx": [("x", "cannot tell the format")],
}


@pytest.mark.parametrize(("name", "content", "said"), [(n, c, s) for n, cases in BAD.items() for c, s in cases])
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(UsageError, match=said) as error:
        load_passages(path)
    assert name in str(error.value)


def test_a_missing_file_and_an_unknown_field_name(tmp_path):
    with pytest.raises(UsageError, match=r"no file .*nowhere\.jsonl"):
        load_passages(tmp_path / "nowhere.jsonl")
    with pytest.raises(UsageError, match=r"passages\.map body = 'b': there is no such field"):
        load_passages(written(tmp_path / "birds.jsonl", ROWS), mapping={"body": "b"})


def test_passages_given_with_a_question():
    assert given_passages(None, "row 1") == given_passages("", "row 1") == ()
    assert given_passages("One.", "row 1") == (Passage("1", "", "One."),)
    mixed = given_passages(["One.", {"title": "T", "text": "Two."}], "row 1")
    assert mixed == (Passage("1", "", "One."), Passage("2", "T", "Two."))
    assert given_passages('["One.", "Two."]', "row 1")[1].text == "Two."
    for wrong, said in (
        (7, "a list of texts"),
        ([""], "passage 1: .*empty"),
        ([[]], "passage 1"),
        ("[1", "valid JSON"),
    ):
        with pytest.raises(UsageError, match=rf"row 1.*{said}"):
            given_passages(wrong, "row 1")


def test_the_paragraphs_of_xquad_are_a_collection(data):
    collection = collection_named("xquad", data)
    assert collection is not None and len(collection) == 240
    assert len({passage.text for passage in collection}) == len({passage.id for passage in collection}) == 240
    assert all(passage.title and "_" not in passage.title for passage in collection)


def test_a_dataset_without_passages_says_which_have_some(data):
    with pytest.raises(UsageError, match="svamp brings no passages; datasets that do: xquad"):
        collection_named("svamp:test", data)
    assert collection_named("birds.jsonl", data) is None
