"""Evaluations of scripted models, for the tests of what an evaluation leaves behind."""

import asyncio
import json
from pathlib import Path
from typing import Any

from dqlore.core import Exemplar, Parts, Pool, load_settings
from dqlore.core.evaluate.folder import read_records
from dqlore.core.evaluate.questions import Questions
from dqlore.core.evaluate.run import Plan, evaluate
from toys import ScriptedLM, ToyEncoder, toy_pool


def questions(count: int = 20, kind: str = "number") -> Questions:
    """Questions whose gold answer is 7."""
    rows = tuple(Exemplar(f"q{i}", f"What is {i} boats and 7?", f"Count {i} boats.", "7") for i in range(count))
    return Questions("toy", "test", kind, Pool(rows, "toy questions"))


def parts(tmp_path: Path, model: Any = None, *, cached: bool = False, **flags: Any) -> Parts:
    from dqlore.core.lm.cache import CachedLM

    flags.setdefault("cache", {"path": tmp_path / "cache"})
    made = Parts(load_settings(flags), pool=toy_pool(), encoder=ToyEncoder(), lm=model or ScriptedLM())
    if cached:
        made.__dict__["lm"] = CachedLM(made.lm, made.reply_cache)
    return made


def run(
    tmp_path: Path,
    model: Any = None,
    method: str = "epr",
    asked: Questions | None = None,
    plan: Plan | None = None,
    *,
    out: str = "run",
    resume: bool = False,
    cached: bool = False,
    **flags: Any,
) -> dict[str, Any]:
    """Evaluate into tmp_path/out and return the summary."""
    made = parts(tmp_path, model, cached=cached, **flags)
    return asyncio.run(evaluate(made, method, asked or questions(), plan or Plan(), tmp_path / out, resume=resume))


def rows(tmp_path: Path, out: str = "run") -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in read_records(tmp_path / out)}


def comparable(summary: dict[str, Any]) -> dict[str, Any]:
    """Return a summary without what no two runs share: seconds and the folder."""
    return {key: value for key, value in json.loads(json.dumps(summary)).items() if key not in ("timings", "run")}
