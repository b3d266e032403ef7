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
FILLS = 2


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
        fills = [tellings(name, fill)[: -entry.held_out] for fill in range(FILLS)]
        pool += _rows(
            f"starter-{name}", name, (problem for telling in zip(*fills, strict=True) for problem in telling)
        )
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
