"""State changes as function calls: nothing is lost on the way, and nothing that a model writes is run."""

from pathlib import Path

import pytest

from dqlore.core.datasets import load_dataset
from dqlore.core.dialogue.state import Ref, apply
from dqlore.core.dialogue.turn import turn_of
from dqlore.core.dialogue.update import Parsed, parse, render


def test_a_change_is_one_call_a_domain() -> None:
    change = {"hotel-area": "centre", "taxi-destination": Ref("hotel-name"), "hotel-book_day": None}
    assert render(change) == "hotel(area='centre', book_day=None); taxi(destination=hotel.name)"
    assert parse(render(change)) == Parsed(change, (), True)


def test_no_change_is_pass() -> None:
    assert render({}) == "pass"
    assert parse("pass") == Parsed({}, (), True)


@pytest.mark.parametrize(
    "value",
    [
        "",
        " two  spaces ",
        'O\'Shea "Jr." \\ n',
        "line\nbreak\tand tab",
        "None",
        "True",
        "7",
        "naïve ☕ 🏨",
        "a);import os;b(",
        "\nQuestion: no",
        "#",
    ],
)
def test_any_text_survives(value: str) -> None:
    change = {"hotel-name": value, "hotel-area": "x"}
    assert parse(render(change)).change == change


@pytest.mark.parametrize(
    ("reply", "change", "note"),
    [
        ("hotel(area='east', name='The Gr", {"hotel-area": "east"}, "cut off"),
        ("hotel(area='east', stars='4'", {"hotel-area": "east", "hotel-stars": "4"}, "cut off"),
        ("hotel(area='east'); taxi(", {"hotel-area": "east"}, "cut off"),
        ("hotel(", {}, "not an update"),
        ("hotel(area={'a': 'b'}, stars='4')", {"hotel-stars": "4"}, "hotel.area: neither a text nor a slot"),
        ("hotel(area=['east'])", {}, "hotel.area: neither"),
        ("hotel(area=b'east')", {}, "hotel.area: neither"),
        ("hotel(area=taxi(destination='x'))", {}, "hotel.area: neither"),
        ("hotel(area=f'{1}')", {}, "hotel.area: neither"),
        ("hotel(area='a' + 'b')", {}, "hotel.area: neither"),
        ("hotel(area=hotel.name.upper)", {}, "hotel.area: neither"),
        ("hotel('east', stars='4')", {"hotel-stars": "4"}, "a value without a slot: 'east'"),
        ("hotel(**{'area': 'east'})", {}, "not a slot"),
        ("import os", {}, "not an update: import os"),
        ("__import__('os').system('true')", {}, "not an update"),
        ("hotel.area = 'east'", {}, "not an update"),
        ("state = {'hotel': {'area': 'east'}}", {}, "not an update"),
        ("lambda: hotel(area='east')", {}, "not an update"),
        ("(yield)", {}, "not an update"),
        ("The user wants a hotel in the east.", {}, "not an update"),
        ("hotel(area='east')\nThat is what I heard", {"hotel-area": "east"}, "not an update: That is"),
        ("hotel(area='east'))", {"hotel-area": "east"}, "cut off"),
        ("hotel(" * 1000, {}, "not an update"),
        ("[" * 3000, {}, "not an update"),
        ("\0", {}, "not an update"),
        ("", {}, "the reply is empty"),
        ("   \n ", {}, "the reply is empty"),
        ("{'hotel-area': 'east'}", {}, "not an update"),
    ],
)
def test_a_malformed_reply_gives_what_is_whole_and_a_note(reply: str, change: dict[str, str], note: str) -> None:
    parsed = parse(reply)
    assert parsed.change == change
    assert any(note in said for said in parsed.notes), parsed.notes
    assert parsed.read == bool(change)


def test_numbers_and_truth_values_are_read_as_their_text() -> None:
    assert parse("hotel(stars=4, wifi=True, price=9.5)").change == {
        "hotel-stars": "4",
        "hotel-wifi": "True",
        "hotel-price": "9.5",
    }


def test_a_number_of_endless_digits_is_no_error() -> None:
    for digits in (2_000, 3_900, 5_000):
        for number in ("0x" + "f" * digits, "9" * digits):
            assert isinstance(parse(f"taxi(x={number})"), Parsed)
            assert isinstance(parse(f"taxi(x=-{number}, {number}); {number}"), Parsed)


def test_code_in_a_reply_is_never_run() -> None:
    attempts = [
        "agent.state(hotel=__import__('os').system('touch pwned'))",
        "hotel(area=__import__('os').system('touch pwned'))",
        "import os; os.system('touch pwned')",
        "hotel(area=open('pwned', 'w').write('x'))",
        "exec(\"open('pwned', 'w')\")",
        "hotel(area=[open('pwned', 'w') for _ in 'x'])",
    ]
    for attempt in attempts:
        parsed = parse(attempt)
        assert not parsed.read and parsed.notes and parsed.change == {}, attempt
    assert list(Path.cwd().iterdir()) == []


def test_the_update_is_found_in_what_surrounds_it() -> None:
    update = {"hotel-area": "east"}
    call = "hotel(area='east')"
    assert parse(f"<think>Maybe north?</think>\n{call}").change == update
    assert parse(f"Here you are:\n```python\n{call}\n```\nAnything else?") == Parsed(update, (), True)
    assert parse(f"{call}\nState: none\nUser: hotel(area='north')") == Parsed(update, (), True)
    assert parse("<think>hotel(area='east')").read is False


@pytest.mark.parametrize(
    ("name", "split"),
    [("woz", "train"), ("woz", "validate"), ("woz", "test"), ("sgd", "loose")],
)
def test_every_published_change_survives(data: Path, name: str, split: str) -> None:
    pool = load_dataset(name, split, data_dir=data)
    for exemplar in pool:
        turn = turn_of(exemplar)
        assert parse(exemplar.answer) == Parsed(turn.change, (), True)
        assert apply(parse(exemplar.answer).change, turn.previous) == turn.state
        assert parse(render(turn.state)).change == turn.state
    assert len(pool) > 800
