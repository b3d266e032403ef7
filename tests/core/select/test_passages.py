import pytest

from dqlore.core.evaluate.questions import dataset_questions
from dqlore.core.events import Query
from dqlore.core.parts import Parts
from dqlore.core.passages import Passage
from dqlore.core.select.passages import by_overlap, find_passages, overlaps
from dqlore.core.settings import load_settings
from reading_toys import COLLECTION, judge, pipeline


@pytest.mark.parametrize("retriever", ["bm25", "dense"])
def test_the_passage_that_shares_the_question_words_is_first(tmp_path, retriever):
    flags = {"passages": {"retriever": retriever, "n": 2}, "cache": {"path": tmp_path / "cache"}}
    parts = pipeline(judge(), **flags).parts
    asked = ["What caught three silver fish?", "Which swift sleeps in the air and lands only to nest?"]
    found = find_passages(parts, [Query(text) for text in asked])
    assert [each.passages[0].passage.id for each in found] == ["heron", "swift"]
    for each in found:
        assert [passage.rank for passage in each.passages] == [1, 2]
        assert each.passages[0].score > each.passages[1].score
    assert (found[0].encode_seconds > 0) == (retriever == "dense")


def test_the_title_counts_too():
    found = find_passages(pipeline(judge()).parts, [Query("Cranes?")])
    assert found[0].passages[0].passage.id == "crane"


def test_given_passages_keep_their_place_among_other_questions():
    given = (Passage("1", "", "Mine."),)
    asked = [Query("What caught three silver fish?"), Query("Mine?", passages=given), Query("Which swift sleeps?")]
    found = find_passages(pipeline(judge()).parts, asked)
    assert [each.passages[0].passage.id for each in found] == ["heron", "1", "swift"]
    assert [len(each.passages) for each in found] == [4, 1, 4]
    assert found[1].passages[0].score is None


def test_passages_by_their_overlap_with_a_summary():
    summary = "The swift sleeps in the air, and the heron fished."
    shares = overlaps(summary, COLLECTION.passages)
    assert shares[2] == pytest.approx(6 / 8)  # the, swift, sleeps, in, air, and; not heron, fished
    assert by_overlap(summary, COLLECTION.passages)[0] == 2
    assert by_overlap("", COLLECTION.passages) == [0, 1, 2, 3]
    assert by_overlap("nothing shared", COLLECTION.passages) == [0, 1, 2, 3]


def test_bm25_finds_the_paragraph_of_nearly_every_xquad_question(data, monkeypatch):
    monkeypatch.setenv("DQLORE_DATA", str(data))
    rows = list(dataset_questions("xquad", data_dir=data).rows)
    parts = Parts(load_settings({"passages": {"path": "xquad"}, "data": data}))
    found = find_passages(parts, [Query(row.question) for row in rows])
    hits = sum(
        any(each.passage.text == row.meta["context"] for each in some.passages)
        for row, some in zip(rows, found, strict=True)
    )
    assert hits / len(rows) >= 0.95
