"""A word problem, how it is written in a shape, and the checks that each one must pass."""

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from .draw import Draw
from .words import num

_NUMBER = r"[$€£]?\d+(?:,\d{3})*(?:\.\d+)?"
_EQUATION = re.compile(rf"(\(*{_NUMBER}\)*(?: [-+*/] \(*{_NUMBER}\)*)+) = ({_NUMBER})")
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
#: Slips of the pen that a filled-in text can show.
_SLIPS = {
    "one of many": re.compile(
        r"(?<![\d.,:/*+-] )(?<![\d.,:$€£-])1 (?!is|was|has|as|plus|minus|times|less|across|pass)[a-z]+s\b"
    ),
    "article": re.compile(r"\b(?:[Aa] (?:8|11\b|18\b|[aio]|e(?!u))|[Aa]n (?:[2-79]|1(?![18]\b)|[b-df-gj-np-tv-z]))"),
    "cents": re.compile(r"[$€£]\d[\d,]*\.\d(?!\d)"),
    "spaces": re.compile(r"  | [.,?!]"),
    "full stops": re.compile(r"\.\."),
    "double": re.compile(r"\b([a-z]+) \1\b"),
    "lower case": re.compile(r"(?:^|[?!] |(?<![ap]\.m)(?<!\be\.g)\. )[a-z]"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A question, the steps that solve it, and the answer as plain number text."""

    question: str
    steps: tuple[str, ...]
    answer: str


Shape = Callable[[Draw], Iterator[str]]


@dataclass(frozen=True, slots=True)
class ShapeEntry:
    """A registered shape. Its last `held_out` tellings are kept for the held-out questions."""

    tell: Shape
    held_out: int


SHAPES: dict[str, ShapeEntry] = {}


def shape(name: str, *, held_out: int = 1) -> Callable[[Shape], Shape]:
    """Register a function that draws numbers and yields one text per telling (see `parse`)."""

    def register(tell: Shape) -> Shape:
        SHAPES[name] = ShapeEntry(tell, held_out)
        return tell

    return register


def parse(text: str) -> Problem:
    """Read a telling: the question, the steps in lines that start with "- ", and in the last line "= " the answer.

    The answer is computed apart from the steps; `check` compares the two.
    """
    question, steps, answer = [], [], ""
    text = text.replace(".m..", ".m.")  # a time of day brings its own full stop
    for line in map(str.strip, text.splitlines()):
        if line.startswith("- "):
            steps.append(line[2:])
        elif line.startswith("= "):
            answer = line[2:]
        elif steps:
            steps[-1] += f" {line}"
        else:
            question.append(line)
    return Problem(" ".join(question), tuple(steps), num(value(answer)).replace(",", ""))


def value(text: str) -> Fraction:
    """Return the exact value of "$1,250.50"."""
    return Fraction(text.lstrip("$€£").replace(",", ""))


def equations(step: str) -> list[tuple[Fraction, Fraction]]:
    """Return left and right value of each "a op b = c" in a step. Raises ValueError if an "=" is anything else."""
    found = _EQUATION.findall(step)
    if len(found) != step.count("="):
        raise ValueError(f"cannot read every equation in {step!r}")
    return [(_evaluate(left), value(right)) for left, right in found]


def check(problem: Problem) -> None:
    """Raise ValueError unless every equation holds, the last one gives the answer, and the text is clean."""
    results = []
    for step in problem.steps:
        for left, right in equations(step):
            if left != right:
                raise ValueError(f"false equation in {step!r}: the left side is {left}")
            results.append(right)
    answer = value(problem.answer)
    if not results or results[-1] != answer:
        raise ValueError(f"the steps do not end in {problem.answer}: {problem.steps}")
    if answer <= 0 or (answer * 100).denominator != 1:
        raise ValueError(f"no sensible answer: {problem.answer}")
    if not 2 <= len(problem.steps) <= 8:
        raise ValueError(f"{len(problem.steps)} steps: {problem.steps}")
    for text in (problem.question, *problem.steps):
        for slip, pattern in _SLIPS.items():
            if match := pattern.search(text):
                raise ValueError(f"{slip} ({match.group()!r}) in {text!r}")
        if not text.endswith((".", "?", "!")):
            raise ValueError(f"unfinished sentence: {text!r}")


def _evaluate(expression: str) -> Fraction:
    def walk(node: ast.expr) -> Fraction:
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.Constant):
            return Fraction(str(node.value))
        raise ValueError(f"cannot compute {expression!r}")

    return walk(ast.parse(re.sub(r"[$€£,]", "", expression), mode="eval").body)
