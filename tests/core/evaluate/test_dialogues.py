"""Dialogues in an evaluation: each turn is asked on what the replies before it left."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dqlore.core import Exemplar, Parts, Pool, load_settings
from dqlore.core.annotate import annotate
from dqlore.core.dialogue.turn import Turn, exemplar_of
from dqlore.core.errors import LMError, UsageError
from dqlore.core.evaluate.compare import compare
from dqlore.core.evaluate.dialogues import sequences
from dqlore.core.evaluate.questions import Questions, query_of
from dqlore.core.evaluate.run import Plan, evaluate
from dqlore.core.evaluate.tune import Grid, tune
from dqlore.core.pipeline import DualQuery
from evaluations import rows
from toys import ScriptedLM, ToyEncoder

AREAS = ["east", "west", "north", "south", "centre"]


def dialogue(id: str, area: str, stars: str = "4") -> list[Exemplar]:
    first: dict[str, str] = {"hotel-area": area}
    both = first | {"hotel-stars": stars}
    turns = [
        Turn(id, 0, {}, "", f"A hotel in the {area}.", first),
        Turn(id, 1, first, "How many stars?", f"{stars} stars.", both),
        Turn(id, 2, both, "It is booked.", f"Thanks for the {area}!", both),
    ]
    return [exemplar_of(turn, f"{id}-{turn.number}") for turn in turns]


TRAINED = [dialogue(f"train-{i}", area, str(i % 5)) for i, area in enumerate(AREAS * 3)]
POOL = Pool(tuple(row for turns in TRAINED for row in turns), "turns")
DISTINCT = Pool(POOL[:15], "five dialogues")
ASKED = Questions("toy", "test", "state", Pool((*dialogue("a", "east"), *dialogue("b", "west", "3")), "asked"))


def listens(prompt: Any) -> str:
    """A model that hears every area and every number of stars."""
    said = prompt.question.rpartition("User: ")[2]
    area, stars = re.search(r"in the (\w+)", said), re.search(r"(\d) stars", said)
    if area:
        return f"hotel(area='{area[1]}')"
    return f"hotel(stars={stars[1]})" if stars else "pass"


def track(tmp_path: Path, model: ScriptedLM, asked: Questions = ASKED, plan: Plan | None = None, **given: Any) -> Any:
    settings = load_settings({"cache": {"path": tmp_path / "cache"}, "task": {"kind": "state"}})
    parts = Parts(settings, pool=given.pop("pool", POOL), encoder=ToyEncoder(), lm=model)
    method = given.pop("method", "refpydst")
    return asyncio.run(evaluate(parts, method, asked, plan or Plan(), tmp_path / "run", **given))


def test_joint_goals_and_slots(tmp_path: Path) -> None:
    lm = ScriptedLM(listens)
    summary = track(tmp_path, lm)
    assert summary["accuracy"] == 1.0
    assert summary["dialogues"]["strict"]["joint_goal_accuracy"] == summary["dialogues"]["verbatim"]["slot_f1"] == 1.0
    assert summary["dialogues"]["count"] == 2
    prompt = next(p for p in lm.prompts if "4 stars." in p.question)
    assert prompt.question == "State: hotel(area='east')\nSystem: How many stars?\nUser: 4 stars."
    assert "hotel(area, stars)" in prompt.instruction
    assert len(prompt.shots) == 10 and all(re.fullmatch(r"pass|hotel\(.*\)", s.reply) for s in prompt.shots)


def test_a_wrong_state_stays_wrong_until_it_is_put_right(tmp_path: Path) -> None:
    lm = ScriptedLM(lambda prompt: listens(prompt).replace("east", "north"))
    summary = track(tmp_path, lm)
    assert summary["dialogues"]["strict"]["joint_goal_accuracy"] == 3 / 6
    found = rows(tmp_path)["a-1"]
    assert found["dialogue"]["context"].startswith("State: hotel(area='north')")
    assert found["dialogue"]["state"] == {"hotel-area": "north", "hotel-stars": "4"}
    assert found["dialogue"]["gold_state"] == {"hotel-area": "east", "hotel-stars": "4"}
    assert found["status"] == "wrong" and found["question"] == ASKED.rows[1].question
    # shared 0+1+1 + 1+2+2 of 10 predicted and 10 gold slots
    assert summary["dialogues"]["strict"]["slot_f1"] == pytest.approx(2 * 7 / 20)


def test_a_reply_that_is_code_changes_nothing_and_is_no_answer(tmp_path: Path) -> None:
    lm = ScriptedLM(lambda _: "agent.state(hotel=__import__('os').system('touch pwned'))")
    summary = track(tmp_path, lm)
    assert (summary["unparsed"], summary["correct"], summary["dialogues"]["noted"]) == (6, 0, 6)
    assert not (Path.cwd() / "pwned").exists()
    row = rows(tmp_path)["a-0"]
    assert row["status"] == "no answer" and row["dialogue"]["state"] == {}
    assert row["dialogue"]["notes"][0].startswith("not an update: agent.state(")


def test_slots_nobody_knows_and_empty_references_are_noted(tmp_path: Path) -> None:
    lm = ScriptedLM(lambda _: "hotel(area=hotel.stars, colour='red', stars='4'); taxi(to='x')")
    track(tmp_path, lm)
    row = rows(tmp_path)["a-0"]["dialogue"]
    assert row["state"] == {"hotel-stars": "4"}
    assert row["notes"] == [
        "unknown slot: hotel.colour",
        "unknown slot: taxi.to",
        "hotel.area takes the value of an empty slot",
    ]


def test_other_spellings_count_but_not_verbatim(tmp_path: Path) -> None:
    lm = ScriptedLM(lambda prompt: listens(prompt).replace("stars=4", "stars='four'"))
    summary = track(tmp_path, lm)["dialogues"]
    assert summary["strict"]["joint_goal_accuracy"] == 1.0
    assert summary["verbatim"]["joint_goal_accuracy"] == 4 / 6


def test_a_dialogue_never_sees_its_own_turns(tmp_path: Path) -> None:
    lm = ScriptedLM(listens)
    track(tmp_path, lm, asked=Questions("toy", "test", "state", Pool(POOL[:3], "own")))
    for i in range(3):
        used = [e["id"] for e in rows(tmp_path)[f"train-0-{i}"]["exemplars"]]
        assert len(used) == 10 and not any(id.startswith("train-0-") for id in used)


def test_zero_shot_shows_the_slots_only(tmp_path: Path) -> None:
    lm = ScriptedLM(listens)
    settings = load_settings({"cache": {"path": tmp_path / "c"}, "task": {"kind": "state"}, "select": {"n": 0}})
    parts = Parts(settings, pool=POOL, encoder=ToyEncoder(), lm=lm)
    summary = asyncio.run(evaluate(parts, "refpydst", ASKED, Plan(), tmp_path / "run"))
    assert summary["accuracy"] == 1.0
    assert all(not prompt.shots and "hotel(area, stars)" in prompt.instruction for prompt in lm.prompts)


def test_a_failed_turn_fails_the_rest_of_its_dialogue_until_it_is_resumed(tmp_path: Path) -> None:
    def fails(prompt: Any) -> str | Exception:
        return LMError("gone") if "4 stars." in prompt.question else listens(prompt)

    summary = track(tmp_path, ScriptedLM(fails))
    assert (summary["errors"], summary["correct"]) == (2, 4)
    assert rows(tmp_path)["a-2"]["error"] == "turn 1 of its dialogue failed: gone"
    lm = ScriptedLM(listens)
    summary = track(tmp_path, lm, resume=True)
    assert summary["accuracy"] == 1.0 and len(lm.prompts) == 2
    assert lm.prompts[0].question.startswith("State: hotel(area='east')")


def test_a_run_that_stopped_in_a_dialogue_goes_on_from_its_state(tmp_path: Path) -> None:
    track(tmp_path, ScriptedLM(lambda prompt: listens(prompt).replace("east", "north")))
    whole = (tmp_path / "run" / "records.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in whole if json.loads(line)["id"] in ("a-0", "b-0", "b-1", "b-2")]
    (tmp_path / "run" / "records.jsonl").write_text("".join(kept))
    lm = ScriptedLM(listens)
    track(tmp_path, lm, resume=True)
    assert [prompt.question.partition("\n")[0] for prompt in lm.prompts] == [
        "State: hotel(area='north')",
        "State: hotel(area='north', stars='4')",
    ]


def test_the_metric_nll_scores_the_gold_update_on_the_gold_state(tmp_path: Path) -> None:
    scored: list[tuple[str, str]] = []

    class Scoring(ScriptedLM):
        async def log_likelihoods(self, pairs):  # type: ignore[no-untyped-def]
            scored.extend((prompt.question, text) for prompt, text in pairs)
            return await super().log_likelihoods(pairs)

    summary = track(tmp_path, Scoring(), plan=Plan(metric="nll"))
    assert summary["accuracy"] is None and "dialogues" not in summary
    assert (ASKED.rows[1].question, "hotel(stars='4')") in scored


def test_runs_on_different_predicted_states_can_be_compared(tmp_path: Path) -> None:
    track(tmp_path, ScriptedLM(listens))
    (tmp_path / "run").rename(tmp_path / "first")
    track(tmp_path, ScriptedLM(lambda prompt: listens(prompt).replace("east", "north")))
    found = compare(tmp_path / "first", tmp_path / "run")
    assert (found["n"], found["only_a"], found["both_right"]) == (6, 3, 3)


def test_turns_out_of_order_are_sorted_and_missing_ones_refused() -> None:
    turns = dialogue("a", "east")
    assert sequences([turns[2], turns[0], turns[1]]) == [turns]
    with pytest.raises(UsageError, match="the dialogue a has no turn 0"):
        sequences(turns[1:])


def test_the_same_turn_twice_names_both_rows() -> None:
    turns = dialogue("a", "east")
    with pytest.raises(UsageError, match="a-1 and again are both turn 1 of the dialogue a"):
        sequences([*turns, replace(turns[1], id="again")])


def test_only_failures_of_asked_turns_count_towards_giving_up(tmp_path: Path) -> None:
    long = [exemplar_of(Turn("long", i, {}, "", f"Turn {i}?", {}), f"long-{i}") for i in range(30)]
    asked = Questions("toy", "test", "state", Pool((*dialogue("a", "east"), *long), "asked"))
    lm = ScriptedLM(lambda prompt: LMError("gone") if "Turn 0" in prompt.question else listens(prompt))
    assert track(tmp_path, lm, asked=asked)["errors"] == 30
    many = [row for i in range(25) for row in dialogue(f"d{i}", "east")]
    lost = ScriptedLM(lambda _: LMError("gone"))
    with pytest.raises(LMError, match="first 20 questions all failed; the last: gone"):
        track(tmp_path / "all", lost, asked=Questions("toy", "test", "state", Pool(tuple(many), "asked")))


def test_ordinary_questions_may_have_fields_of_these_names() -> None:
    row = Exemplar("q", "Who?", "", "7", meta={"dialogue": 3, "turn": "x"})
    assert query_of(row, "number").dialogue is query_of(row, "state").dialogue is None
    assert query_of(dialogue("a", "east")[0], "state").dialogue == "a"
    assert query_of(dialogue("a", "east")[0], "span").dialogue is None


def test_tuning_never_shows_a_dialogue_its_own_turns(tmp_path: Path) -> None:
    lm = ScriptedLM(listens)
    settings = load_settings({"cache": {"path": tmp_path / "cache"}, "task": {"kind": "state"}})
    parts = Parts(settings, pool=DISTINCT, encoder=ToyEncoder(), lm=lm)
    grid = Grid(m=(15,), n=(15,), rerankers=("none",))
    asyncio.run(tune(parts, "refpydst", Questions("toy", "test", "state", Pool(POOL[:3], "own")), grid))
    own = {row.question for row in POOL[:3]}
    assert len(lm.prompts) == 3
    assert all(len(p.shots) == 12 and not own & {shot.question for shot in p.shots} for p in lm.prompts)


def test_annotating_never_shows_a_dialogue_its_own_turns(tmp_path: Path) -> None:
    lm = ScriptedLM(lambda prompt: f"They said so.\n{listens(prompt)}")
    settings = load_settings({"cache": {"path": tmp_path / "c"}, "task": {"kind": "state"}, "select": {"n": 10}})
    pipeline = DualQuery(Parts(settings, pool=DISTINCT, encoder=ToyEncoder(), lm=lm), "refpydst")
    asyncio.run(annotate(pipeline, POOL[:3], "state", samples=1))
    own = {row.question for row in POOL[:3]}
    assert lm.prompts and not any(own & {shot.question for shot in p.shots} for p in lm.prompts)


def test_a_pool_without_turns_has_no_slots(tmp_path: Path) -> None:
    bare = Pool(tuple(Exemplar(row.id, row.question, "", row.answer) for row in POOL), "bare pool")
    with pytest.raises(UsageError, match=r"bare pool holds no turns of dialogues.*task\.ontology"):
        track(tmp_path, ScriptedLM(listens), pool=bare)
