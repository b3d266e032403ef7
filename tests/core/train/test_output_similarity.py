from pathlib import Path

import numpy as np
import pytest

from dqlore.core import Exemplar, Pool, load_settings
from dqlore.core.dialogue.turn import Turn, exemplar_of
from dqlore.core.errors import UsageError
from dqlore.core.train.output_similarity import (
    mine_into,
    nearest_others,
    output_similarity,
    score_into,
    score_outputs,
)
from dqlore.core.train.presets import candidates, recipe
from dqlore.core.train.rows import Mined
from dqlore.core.train.score import load_scored
from toys import ToyEncoder


def turn(dialogue: str, number: int, said: str, **state: str) -> Exemplar:
    slots = {f"hotel-{name}": value for name, value in state.items()}
    return exemplar_of(Turn(dialogue, number, {}, "", said, slots), f"{dialogue}-{number}")


POOL = Pool(
    (
        turn("a", 0, "east please", area="east"),
        turn("a", 1, "east please, again", area="east"),
        turn("b", 0, "in the east", area="east"),
        turn("c", 0, "in the west", area="west"),
        turn("d", 0, "thank you"),
        turn("e", 0, "East please", area="east", stars="4"),
    ),
    "turns",
)
PLANE = np.array([[1, 0], [1, 0.1], [2, 0.4], [0.5, 0.5], [0, 1], [3, 0.1]], dtype=np.float32)


def test_the_nearest_by_cosine_without_the_dialogue_and_the_question_itself() -> None:
    mined = nearest_others(POOL, [0, 4], PLANE, PLANE, 3)
    # of a-0: a-1 is of its dialogue, e-0 asks the same but for case; b-0 is nearer than c-0
    assert mined[0] == Mined("a-0", ("b-0", "c-0", "d-0"))
    assert mined[1] == Mined("d-0", ("c-0", "b-0", "a-1"))


def test_outputs_are_scored_by_sim_f1_for_turns() -> None:
    rows = score_outputs(POOL, [Mined("a-0", ("b-0", "c-0", "d-0", "e-0"))], output_similarity("state"))
    assert rows[0].scores == pytest.approx((1.0, 0.5, 0.0, 2 / 3))


def test_and_by_the_words_they_share_for_other_tasks() -> None:
    alike = output_similarity("number")
    a, b = (
        Exemplar(name, name, rationale, "7") for name, rationale in (("a", "Add 3 and 4."), ("b", "Add 5 and 2."))
    )
    assert alike(a, a) == 1.0
    assert alike(a, b) == pytest.approx(2 * 3 / 10)  # add, and, 7 of five words each
    own = score_outputs(Pool((a, b)), [Mined("a", ("b",))], lambda x, y: float(x.answer == y.answer))
    assert own[0].scores == (1.0,)


def test_a_turn_that_is_no_change_is_named() -> None:
    bad = Exemplar("x", "hm", "", "what?", meta={"dialogue": "x", "turn": 0})
    with pytest.raises(UsageError, match="x: the answer 'what\\?' is no state change"):
        output_similarity("state")(bad, POOL[0])


def test_a_pool_with_nothing_to_compare_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to compare 'a-0' with"):
        nearest_others(Pool(POOL[:2], "two turns"), [0], PLANE, PLANE, 5)


def test_the_stages_leave_files_and_do_nothing_twice(tmp_path: Path) -> None:
    encoder = ToyEncoder()
    mined = mine_into(tmp_path, POOL, encoder, nearest=3, question_only=True)
    asked = len(encoder.texts)
    assert mine_into(tmp_path, POOL, encoder, nearest=3, question_only=True) == mined
    assert len(encoder.texts) == asked == len(POOL)
    scored = score_into(tmp_path, POOL, mined, output_similarity("state"))
    assert load_scored(tmp_path, POOL) == scored
    with pytest.raises(UsageError, match="nearest was 3 and is now 4"):
        mine_into(tmp_path, POOL, encoder, nearest=4, question_only=True)


def test_what_the_signal_trains_with() -> None:
    chosen = recipe(load_settings({"train": {"signal": "output-similarity"}}))
    assert (chosen.encoder, chosen.view, chosen.t, chosen.epochs) == ("minilm", "question", 10, 15)
    assert (chosen.similarity, chosen.scale) == ("cosine", 20.0)
    own = load_settings({"train": {"signal": "output-similarity", "k": 40, "epochs": 2, "preset": "paper"}})
    chosen = recipe(own)
    assert (candidates(own), chosen.t, chosen.epochs) == (40, 2, 2)
    assert chosen.encoder == "sentence-transformers/all-mpnet-base-v2"
    with pytest.raises(UsageError, match="use --signal lm"):
        recipe(load_settings({"train": {"signal": "output-similarity", "objective": "ceil"}}))
