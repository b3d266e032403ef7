import json
import math
import re
from collections import Counter
from typing import get_args

import numpy as np
import pytest

from dqlore.core import load_settings
from dqlore.core.errors import UsageError
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.parts import Parts
from dqlore.core.select.bm25 import BM25Retriever
from dqlore.core.settings import BM25Settings

FOUR = (
    "A crate holds twelve jars of jam.",
    "The wet weather ruined the jam and the jars.",
    "Nine dry days follow wet weather, wet weather follows dry days.",
    "Tom buys 5 crates.",
)


def pool_of(*questions, rationale=""):
    return Pool(tuple(Exemplar(str(i), q, rationale, "1") for i, q in enumerate(questions)))


def literal_scores(query, texts, k1=1.5, b=0.75):
    """BM25 as its formula reads, word by word."""
    docs = [re.findall(r"\w+", text.lower()) for text in texts]
    mean = sum(map(len, docs)) / len(docs)
    holding = Counter(word for doc in docs for word in set(doc))
    totals = []
    for doc in docs:
        counts, total = Counter(doc), 0.0
        for word in re.findall(r"\w+", query.lower()):
            df, tf = holding[word], counts[word]
            if tf:
                idf = math.log(1 + (len(docs) - df + 0.5) / (df + 0.5))
                total += idf * tf / (tf + k1 * (1 - b + b * len(doc) / mean))
        totals.append(total)
    return np.array(totals)


@pytest.mark.parametrize("query", ["wet weather", "Jars of JAM, jam!", "5 crates", "the of a", "wet wet zebra"])
def test_scores_are_those_of_the_formula(query):
    expected = literal_scores(query, FOUR)
    hits = BM25Retriever(pool_of(*FOUR)).search([query], 4)
    np.testing.assert_allclose(hits.scores[0], np.sort(expected)[::-1], rtol=1e-12)
    np.testing.assert_array_equal(hits.positions[0], np.argsort(-expected, kind="stable"))


def test_scores_are_those_of_the_formula_on_real_questions(data):
    with (data / "gsm8k" / "train.jsonl").open(encoding="utf-8") as file:
        questions = [json.loads(line)["question"] for line, _ in zip(file, range(500), strict=False)]
    retriever = BM25Retriever(pool_of(*questions))
    for query in questions[::50]:
        np.testing.assert_allclose(retriever.scores(query), literal_scores(query, questions), rtol=1e-12)


def test_the_field_that_is_searched_can_be_chosen():
    pool = Pool(
        (Exemplar("a", "apples", "pears", "1"), Exemplar("b", "pears", "apples", "1"), Exemplar("c", "x", "y", "1"))
    )
    first = {
        field: BM25Retriever(pool, field=field).search(["pears"], 1).positions[0][0]
        for field in ("question", "rationale")
    }
    assert first == {"question": 1, "rationale": 0}
    both = BM25Retriever(pool, field="both").search(["pears"], 3)
    assert both.positions[0].tolist() == [0, 1, 2]
    assert both.scores[0][0] == both.scores[0][1] > both.scores[0][2] == 0


def test_equal_scores_keep_the_order_of_the_pool():
    retriever = BM25Retriever(pool_of("zebra", *["same words"] * 6, "other"))
    assert retriever.search(["words"], 3).positions[0].tolist() == [1, 2, 3]
    assert retriever.search(["nothing known"], 3).positions[0].tolist() == [0, 1, 2]
    assert retriever.search(["words"], 8).positions[0].tolist() == [1, 2, 3, 4, 5, 6, 0, 7]


def test_equal_texts_score_the_same_to_the_last_bit_wherever_they_stand():
    shuffled = np.random.default_rng(0).permutation(FOUR * 40)
    hits = BM25Retriever(pool_of(*shuffled)).search([" ".join(FOUR)], len(shuffled))
    for text in FOUR:
        same = shuffled[hits.positions[0]] == text
        assert len(set(hits.scores[0][same])) == 1
        assert (np.diff(hits.positions[0][same]) > 0).all()


@pytest.mark.parametrize("query", ["", "   ", "???", "unheard"])
def test_a_query_without_known_words_scores_zero(query):
    hits = BM25Retriever(pool_of(*FOUR)).search([query], 2)
    assert (hits.positions[0].tolist(), hits.scores[0].tolist()) == ([0, 1], [0.0, 0.0])


def test_a_pool_without_words_or_rows_does_not_crash():
    hits = BM25Retriever(pool_of("", "???", "   ")).search(["a", "?"], 2)
    assert [p.tolist() for p in hits.positions] == [[0, 1], [0, 1]]
    hits = BM25Retriever(pool_of()).search(["a"], 2)
    assert hits.positions[0].tolist() == [] and hits.scores[0].tolist() == []
    assert BM25Retriever(pool_of(*FOUR)).search([], 2).positions == []


def test_more_than_the_pool_holds_gives_each_once():
    assert sorted(BM25Retriever(pool_of(*FOUR)).search(["wet jam"], 99).positions[0].tolist()) == [0, 1, 2, 3]


def test_excluded_positions_are_never_returned():
    retriever = BM25Retriever(pool_of(*FOUR))
    hits = retriever.search(["wet weather", "wet weather", "x"], 99, [[2], [], [0, 1, 2, 3]])
    assert [p.tolist()[:1] for p in hits.positions] == [[1], [2], []]
    assert 2 not in hits.positions[0] and np.isfinite(hits.scores[0]).all()


def test_as_many_are_returned_as_asked_in_spite_of_the_excluded():
    retriever = BM25Retriever(pool_of(*FOUR))
    best = retriever.search(["wet weather"], 1).positions[0]
    found = retriever.search(["wet weather"], 3, [best]).positions[0]
    assert len(found) == 3 and best[0] not in found


def test_stemming_finds_other_forms_of_a_word():
    pool = pool_of("Tom sold a crate.", "Ann is baking.", "Äpfel und ein Haus")
    assert BM25Retriever(pool).search(["crates baked Häuser"], 3).scores[0].tolist() == [0, 0, 0]
    english = BM25Retriever(pool, stem="english")
    assert english.search(["CRATES"], 1).positions[0].tolist() == [0]
    assert english.search(["baked"], 1).positions[0].tolist() == [1]
    assert BM25Retriever(pool, stem="german").search(["Häuser"], 1).positions[0].tolist() == [2]


def test_an_unknown_stemmer_names_the_known_ones():
    with pytest.raises(UsageError, match=r"'klingon'.*english"):
        BM25Retriever(pool_of(*FOUR), stem="klingon")


def test_every_language_of_the_settings_has_a_stemmer():
    languages = set(get_args(BM25Settings.model_fields["stem"].annotation)) - {"none"}
    assert "english" in languages
    for language in languages:
        assert BM25Retriever(pool_of("x"), stem=language).search(["x"], 1).scores[0][0] > 0


def test_the_settings_choose_field_and_stemming():
    pool = Pool((Exemplar("a", "crates", "jars", "1"), Exemplar("b", "jars", "crates", "1")))

    def best(**bm25):
        return Parts(load_settings({"bm25": bm25}), pool=pool).bm25.search(["crate"], 2)

    assert best().scores[0].tolist() == [0, 0]
    assert best(stem="english").positions[0].tolist() == [0, 1]
    assert best(stem="english", field="rationale").positions[0].tolist() == [1, 0]


def test_words_in_other_scripts():
    pool = pool_of("小明有三个苹果", "小红买了五本书", "Größe der STRASSE")
    assert BM25Retriever(pool).search(["苹果", "grösse straße"], 1).positions[0].tolist() == [0]
    assert BM25Retriever(pool).search(["straße"], 1).positions[0].tolist() == [2]
