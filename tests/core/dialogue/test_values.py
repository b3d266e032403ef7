import pytest

from dqlore.core.dialogue.ontology import Ontology, ontology_of
from dqlore.core.dialogue.state import Ref
from dqlore.core.dialogue.values import normal


@pytest.mark.parametrize(
    ("spellings", "expected"),
    [
        (("19:00", "7pm", "7 PM", "7 p.m.", "7:00 pm", "07:00pm", "19:00:00"), "19:00"),
        (("00:15", "12:15 am", "0:15"), "00:15"),
        (("12:00", "noon", "12 pm"), "12:00"),
        (("centre", "Center", " centre ", "CENTRE."), "centre"),
        (("march 3", "March 3rd", "3rd of March", "the 3rd of march", "Mar 3", "3 March"), "march 3"),
        (("march 3 2019", "2019-03-03", "March 3rd, 2019"), "march 3 2019"),
        (("4", "four", "Four"), "4"),
        (("dontcare", "don't care", "Do not care", "does not matter", "any", "don’t care"), "dontcare"),
        (("none", "not mentioned", "", "None", " "), None),
    ],
)
def test_spellings_of_one_value(spellings: tuple[str, ...], expected: str | None) -> None:
    assert {normal(spelling) for spelling in spellings} == {expected}


@pytest.mark.parametrize("value", ["25 pm", "half past", "may", "march", "8.30", "2019-13-01", "anyone's"])
def test_what_only_looks_like_a_time_or_a_date_stays(value: str) -> None:
    assert normal(value) == value


def test_the_ontology_knows_its_values_by_letters_and_digits() -> None:
    ontology = Ontology({"hotel-type": ("guest house", "hotel"), "media-subtitles": ("None", "English")})
    assert ontology.normal("hotel-type", "Guesthouse") == "guest house"
    assert ontology.normal("hotel-type", "the guest-house") == "guest house"
    assert ontology.normal("hotel-type", "none") is None
    assert ontology.normal("media-subtitles", "none") == "none"
    assert ontology.normal("hotel-name", "Alex") == "alex"


def test_unknown_slots_are_left_out_and_named() -> None:
    ontology = ontology_of([{"hotel-name": "x"}, {"taxi-destination": "y"}])
    change = {"taxi-destination": Ref("hotel-name"), "taxi-colour": "red", "hotel-name": Ref("pub-name")}
    known, notes = ontology.known_part(change)
    assert known == {"taxi-destination": Ref("hotel-name")}
    assert notes == ["unknown slot: taxi.colour", "unknown slot: pub.name"]


def test_signatures_list_the_values_of_closed_slots() -> None:
    ontology = Ontology({"hotel-area": ("north", "south"), "hotel-name": tuple("abcdefghijkl"), "taxi-time": ()})
    assert ontology.signatures() == "hotel(area: north | south, name)\ntaxi(time)"
