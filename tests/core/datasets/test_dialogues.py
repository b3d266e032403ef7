"""Dialogues in their published formats, each shown by a small one of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from dqlore.core.datasets import load_dataset, ontology_named
from dqlore.core.dialogue.state import Ref
from dqlore.core.dialogue.turn import Turn, turn_of
from dqlore.core.errors import UsageError

WOZ = [
    {
        "dialogue_idx": 7,
        "dialogue": [
            {
                "turn_idx": 0,
                "system_transcript": "",
                "transcript": "Somewhere cheap. What is the phone number?",
                "belief_state": [
                    {"act": "request", "slots": [["slot", "phone"]]},
                    {"act": "inform", "slots": [["price range", "cheap"]]},
                ],
            },
            {
                "turn_idx": 1,
                "system_transcript": " Which food? ",
                "transcript": "Any food will do.",
                "belief_state": [
                    {"act": "inform", "slots": [["price range", "cheap"]]},
                    {"act": "inform", "slots": [["food", "dontcare"]]},
                ],
            },
        ],
    }
]
WOZ_ONTOLOGY = {"informable": {"request": ["phone"], "food": ["thai"], "price range": ["cheap", "moderate"]}}


def user(said: str, *frames: tuple[str, dict[str, list[str]]], **slots: Any) -> dict[str, Any]:
    return {
        "speaker": "USER",
        "utterance": said,
        "frames": [
            {"service": service, "state": {"slot_values": values}, "slots": slots.get(service, [])}
            for service, values in frames
        ],
    }


def system(said: str) -> dict[str, Any]:
    return {"speaker": "SYSTEM", "utterance": said, "frames": []}


SCHEMA = [
    {"service_name": "Hotels_1", "slots": [{"name": "city", "possible_values": []}]},
    {"service_name": "Rides_1", "slots": [{"name": "shared", "possible_values": ["True", "False"]}]},
]
GUIDED = [
    {
        "dialogue_id": "1_00000",
        "turns": [
            user("A hotel in New York", ("Hotels_1", {"city": ["New York", "NYC"]})),
            system("Anything else?"),
            user("A shared ride", ("Rides_1", {"shared": ["True"]})),
            system("Fine"),
            user("Boston instead, no ride", ("Hotels_1", {"city": ["Boston"]}), ("Rides_1", {})),
        ],
    }
]


def hotel(price: object, name: str, stay: str, booked: list[object]) -> dict[str, Any]:
    return {"hotel": {"book": {"booked": booked, "stay": stay}, "semi": {"pricerange": price, "name": name}}}


MULTIWOZ = {
    "MUL0001.json": {
        "log": [
            {"text": "A cheap or moderate hotel.", "metadata": {}},
            {"text": "For how long?", "metadata": hotel("cheap|moderate", "not mentioned", "", [])},
            {"text": "Two nights.", "metadata": {}},
            {"text": "Booked.", "metadata": hotel(["cheap"], "none", "2", [{"name": "x"}])},
        ]
    },
    "SNG0002.json": {"log": [{"text": "Hello.", "metadata": {}}, {"text": "Hello!", "metadata": {}}]},
}


def put(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))


def turns(name: str, split: str, folder: Path) -> list[Turn]:
    return [turn_of(exemplar) for exemplar in load_dataset(name, split, data_dir=folder)]


def test_woz(tmp_path: Path) -> None:
    put(tmp_path / "woz" / "woz_train_en.json", WOZ)
    put(tmp_path / "woz" / "ontology_dstc2_en.json", WOZ_ONTOLOGY)
    first, second = turns("woz", "train", tmp_path)
    assert first.state == {"restaurant-price_range": "cheap"}  # what is asked for is no goal
    assert (second.dialogue, second.number, second.system) == ("woz-train-7", 1, "Which food?")
    assert second.previous == first.state
    assert second.change == {"restaurant-food": "dontcare"}
    known = ontology_named("woz", tmp_path)
    assert known and known.slots == {"restaurant-food": ("thai",), "restaurant-price_range": ("cheap", "moderate")}


def test_schema_guided(tmp_path: Path) -> None:
    put(tmp_path / "sgd" / "dev" / "dialogues_001.json", GUIDED)
    put(tmp_path / "sgd" / "dev" / "dialogues_002.json", [GUIDED[0] | {"dialogue_id": "2_00000"}])
    put(tmp_path / "sgd" / "dev" / "schema.json", SCHEMA)
    first, second, third, *others = turns("sgd", "dev", tmp_path)
    assert [turn.dialogue for turn in others] == ["sgd-dev-2_00000"] * 3
    assert first.accepted == {"Hotels_1-city": ("NYC",)}
    assert second.previous == first.state  # a service without a frame keeps its state
    assert second.state == {"Hotels_1-city": "New York", "Rides_1-shared": "True"}
    assert third.state == {"Hotels_1-city": "Boston"} and third.accepted == {}
    assert third.change == {"Hotels_1-city": "Boston", "Rides_1-shared": None}
    known = ontology_named("sgd:dev", tmp_path)
    assert known and known.slots["Rides_1-shared"] == ("True", "False")


def test_multiwoz_22_marks_coreference(tmp_path: Path) -> None:
    copied = [{"slot": "taxi-destination", "copy_from": "hotel-name", "value": ["acorn"]}]
    dialogue = {
        "dialogue_id": "PMUL1.json",
        "turns": [
            user("The Acorn hotel", ("hotel", {"hotel-name": ["acorn"]}), ("taxi", {})),
            system("Booked, the acorn."),
            user("A taxi to it", ("taxi", {"taxi-destination": ["acorn"]}), taxi=copied),
        ],
    }
    put(tmp_path / "multiwoz22" / "test" / "dialogues_001.json", [dialogue])
    put(tmp_path / "multiwoz22" / "schema.json", [{"service_name": "taxi", "slots": [{"name": "taxi-destination"}]}])
    _, second = turns("multiwoz22", "test", tmp_path)
    assert second.change == {"taxi-destination": Ref("hotel-name")}
    known = ontology_named("multiwoz22:test", tmp_path)
    assert known and known.slots == {"taxi-destination": ()}


@pytest.mark.parametrize("suffix", ["json", "txt"])
def test_multiwoz_data_json(tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / "multiwoz"
    put(folder / "data.json", MULTIWOZ)
    put(folder / f"testListFile.{suffix}", "SNG0002.json\n")
    put(folder / f"valListFile.{suffix}", "")
    put(folder / "ontology.json", {"hotel-price range": ["cheap", "moderate"], "hotel-book stay": ["1", "2"]})
    first, second = turns("multiwoz", "train", tmp_path)
    assert first.state == {"hotel-pricerange": "cheap"} and first.accepted == {"hotel-pricerange": ("moderate",)}
    assert second.system == "For how long?" and second.previous == first.state
    assert second.change == {"hotel-book_stay": "2"} and second.accepted == {}
    [other] = turns("multiwoz", "test", tmp_path)
    assert (other.dialogue, other.change) == ("multiwoz-test-SNG0002", {})
    known = ontology_named("multiwoz", tmp_path)
    assert known and known.slots == {"hotel-book_stay": ("1", "2"), "hotel-pricerange": ("cheap", "moderate")}


def test_multiwoz_lists_in_another_encoding(tmp_path: Path) -> None:
    put(tmp_path / "multiwoz" / "data.json", MULTIWOZ)
    put(tmp_path / "multiwoz" / "valListFile.txt", "")
    (tmp_path / "multiwoz" / "testListFile.txt").write_bytes("café.json\nSNG0002.json\n".encode("latin-1"))
    assert len(turns("multiwoz", "test", tmp_path)) == 1


def test_multiwoz_needs_its_lists(tmp_path: Path) -> None:
    put(tmp_path / "multiwoz" / "data.json", MULTIWOZ)
    with pytest.raises(UsageError, match=r"there is no testListFile\.json or testListFile\.txt"):
        load_dataset("multiwoz", "train", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "split", "file", "document", "message"),
    [
        ("woz", "train", "woz_train_en.json", {"a": 1}, "dialogue 1: not in the published shape"),
        ("woz", "train", "woz_train_en.json", 3, "not in the published shape"),
        ("woz", "train", "woz_train_en.json", [{"dialogue_idx": 1}], "no field 'dialogue'"),
        ("woz", "train", "woz_train_en.json", [{"dialogue_idx": 1, "dialogue": [{}]}], "no field 'belief_state'"),
        ("woz", "train", "woz_train_en.json", '[{"dialogue_idx"', "line 1, column"),
        ("woz", "train", "woz_train_en.json", "[" * 100_000, "nested too deeply"),
        ("woz", "train", "woz_train_en.json", f"[{'7' * 5_000}]", "too many digits"),
        ("sgd", "dev", "dev/schema.json", SCHEMA, r"has no dialogues_\*\.json"),
        ("sgd", "dev", "dev/dialogues_1.json", [], r"no file .*dev/schema\.json"),
        ("multiwoz", "train", "data.json", [], "not in the published shape"),
        ("multiwoz", "train", "data.json", {"a": {"log": [{"text": 1}, {"metadata": {}}]}}, "dialogue a: .*a text"),
        ("woz", "train", "woz_train_en.json", [], "has no rows"),
    ],
)
def test_other_shapes_are_named(
    tmp_path: Path, name: str, split: str, file: str, document: object, message: str
) -> None:
    put(tmp_path / name / file, document)
    for listed in ("testListFile.txt", "valListFile.txt"):
        put(tmp_path / name / listed, "")
    with pytest.raises(UsageError, match=message):
        load_dataset(name, split, data_dir=tmp_path)


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "woz" / "woz_train_en.json", json.dumps(WOZ).replace("Which food?", "\\ud800"))
    with pytest.raises(UsageError, match="dialogue 1: not in the published shape"):
        load_dataset("woz", "train", data_dir=tmp_path)


def test_two_slots_of_one_name_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "sgd" / "dev" / "dialogues_001.json", GUIDED)
    slots = [{"name": "a b"}, {"name": "a-b"}]
    put(tmp_path / "sgd" / "dev" / "schema.json", [{"service_name": "Hotels_1", "slots": slots}])
    with pytest.raises(UsageError, match="would both be called Hotels_1-a_b"):
        ontology_named("sgd:dev", tmp_path)


def test_other_names_have_no_slots(tmp_path: Path) -> None:
    assert ontology_named("gsm8k", tmp_path) is None
    assert ontology_named("pool.jsonl", tmp_path) is None
