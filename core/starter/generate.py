"""Write the starter pool and the held-out questions: `python -m dqlore.core.starter.generate [--check]`.

The same code writes the same bytes. `--check` writes nothing and exits with 1 if a file differs.
"""

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

from ..files import write_atomic
from . import shapes
from .draw import Draw
from .problem import SHAPES, Problem, check, parse

FOLDER = Path(__file__).parent
#: How many fillings the second row of a telling is chosen from.
FILLS = 12
#: How much two rows of one telling may overlap; otherwise the telling gives one row only.
MOST_ALIKE = 0.84


def tellings(name: str, fill: int) -> list[Problem]:
    """Return every telling of a shape with the numbers of one fill, checked. Raises ValueError naming the shape."""
    problems = [parse(text) for text in SHAPES[name].tell(Draw(f"{name} {fill}"))]
    for problem in problems:
        try:
            check(problem)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return problems


def render() -> dict[str, str]:
    """Return the text of `pool.jsonl` and `heldout.jsonl`."""
    for module in pkgutil.iter_modules(shapes.__path__):
        importlib.import_module(f"{shapes.__name__}.{module.name}")
    pool: list[str] = []
    heldout: list[str] = []
    for name, entry in SHAPES.items():
        first, *others = (tellings(name, fill)[: -entry.held_out] for fill in range(FILLS))
        rows = (problem for one, *choices in zip(first, *others, strict=True) for problem in _pair(one, choices))
        pool += _rows(f"starter-{name}", name, rows)
        heldout += _rows(f"heldout-{name}", name, iter(tellings(name, FILLS)[-entry.held_out :]))
    return {"pool.jsonl": "".join(pool), "heldout.jsonl": "".join(heldout)}


def main() -> None:
    """Write the files, or compare them."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--check", action="store_true", help="compare the files instead of writing them")
    check_only = arguments.parse_args().check
    for name, text in render().items():
        path = FOLDER / name
        if not check_only:
            write_atomic(path, text)
        elif not path.exists() or path.read_bytes() != text.encode():
            sys.exit(f"{name} is not what the generator writes; run it without --check")


def _pair(one: Problem, choices: list[Problem]) -> Iterator[Problem]:
    """Yield `one`, then the choice that shares the fewest words with it unless even that one is too much like it."""
    yield one
    overlap, other = min(((_overlap(one, choice), choice) for choice in choices), key=lambda scored: scored[0])
    if overlap <= MOST_ALIKE:
        yield other


def _overlap(one: Problem, other: Problem) -> float:
    """Return the Jaccard index of the words of two questions."""
    words, others = (set(problem.question.casefold().split()) for problem in (one, other))
    return len(words & others) / len(words | others)


def _rows(prefix: str, name: str, problems: Iterator[Problem]) -> Iterator[str]:
    for number, problem in enumerate(problems, start=1):
        row = {
            "id": f"{prefix}-{number:02d}",
            "question": problem.question,
            "rationale": "\n".join(problem.steps),
            "answer": problem.answer,
            "meta": {"shape": name, "steps": len(problem.steps)},
        }
        yield json.dumps(row, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
