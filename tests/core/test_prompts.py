from dqlore.core.exemplars import Exemplar
from dqlore.core.prompts import STOP, Prompt, Shot, build_prompt

BRACES = Exemplar(
    "1",
    "P = {2, 4, 9} and Q = {4, 7}. How many numbers are in both?",
    r'Only 4 is, as \sum_{j=1}^{m} shows; {"total": 1} {{0}} %s $x',
    "1",
)


def test_texts_stand_in_the_prompt_character_for_character():
    prompt = build_prompt("What is {x}?", [BRACES])
    for text in (prompt.text(), "".join(m["content"] for m in prompt.messages())):
        assert BRACES.question in text
        assert BRACES.rationale in text
        assert "What is {x}?" in text


def test_the_best_exemplar_stands_next_to_the_question_unless_asked_otherwise():
    exemplars = [Exemplar(str(i), f"q{i}", f"r{i}", str(i)) for i in (1, 2, 3)]
    last, first = (build_prompt("q", exemplars, order=order) for order in ("best-last", "best-first"))
    assert [shot.question for shot in last.shots] == ["q3", "q2", "q1"]
    assert [shot.question for shot in first.shots] == ["q1", "q2", "q3"]
    assert last.text() == (
        "Question: q3\nAnswer: r3\nThe answer is 3.\n\nQuestion: q2\nAnswer: r2\nThe answer is 2.\n\n"
        "Question: q1\nAnswer: r1\nThe answer is 1.\n\nQuestion: q\nAnswer:"
    )


def test_dropping_takes_the_lowest_ranked_in_both_orders():
    ranked = tuple(Shot(f"q{i}", "r") for i in (1, 2, 3))
    for order in ("best-last", "best-first"):
        assert Prompt("q", ranked=ranked, order=order).without_lowest(2).ranked == ranked[:1]
    assert Prompt("q", ranked=ranked).without_lowest(9).ranked == ()


def test_options_are_lettered_once_and_belong_to_question_and_exemplars():
    exemplar = Exemplar("1", "Which is even?", "4 is even.", "B", ("3", "4"))
    prompt = build_prompt("Which is odd?", [exemplar], options=("6", "7"))
    assert "Question: Which is even?\n(A) 3\n(B) 4\nAnswer: 4 is even.\nThe answer is B." in prompt.text()
    assert prompt.messages()[-1]["content"] == "Which is odd?\n(A) 6\n(B) 7"


def test_chat_turns_alternate_after_the_instruction():
    prompt = build_prompt("q", [BRACES, BRACES], instruction="Think.")
    assert [m["role"] for m in prompt.messages()] == ["system", "user", "assistant", "user", "assistant", "user"]


def test_without_a_system_role_the_instruction_heads_the_first_turn():
    prompt = build_prompt("q", [BRACES], instruction="Think.")
    first, *rest = prompt.messages(system=False)
    assert first == {"role": "user", "content": f"Think.\n\n{BRACES.question}"}
    assert rest == prompt.messages()[2:]
    assert Prompt("q").messages(system=False) == Prompt("q").messages() == [{"role": "user", "content": "q"}]


def test_a_blank_rationale_is_none():
    assert build_prompt("q", [Exemplar("1", "a", " \n", "2")]).shots[0].reply == "The answer is 2."


def test_the_stop_text_is_a_whole_line_start():
    assert not any(stop in "The Question wants litres.\n\nSo 15 in all." for stop in STOP)
    assert any(stop in "#### 12\n\nQuestion: Ben has" for stop in STOP)
