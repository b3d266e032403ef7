"""A run in one object: counts, accuracy with its interval, mean times, tokens and cost."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from .dialogues import summarize_turns
from .records import CUT_OFF, FAILED, NO_ANSWER, RIGHT, STAGES, WRONG, Record
from .stats import mean_difference, wilson_interval


def summarize(config: Mapping[str, Any], rows: Iterable[Record], run: str | None) -> dict[str, Any]:
    """Return the summary of a run's records, one a question, in any order.

    Accuracy is over all questions: `unparsed` (of them `cut_off` by the token limit) and `errors` count as not
    right. Spans have the mean `f1` beside it, with Student's interval. With the metric nll, `accuracy` is null and
    `nll` the mean negative log-likelihood per token, in nats.
    `timings` are means over the questions that did not fail; `usage` is null where a server gives no token counts.
    """
    counts: Counter[str] = Counter()
    tokens: dict[str, Counter[str]] = {"first_query": Counter(), "answer": Counter()}
    unknown: set[tuple[str, str]] = set()
    seconds: dict[str, list[float]] = {stage: [] for stage in STAGES}
    likelihoods: list[float] = []
    f1: list[float] = []
    scored_tokens = calls = 0
    turns: list[Record] = []
    for row in rows:
        counts[row["status"]] += 1
        f1.append(row.get("f1", 0.0))
        if "dialogue" in row:
            turns.append(row["dialogue"])
        if row["status"] == FAILED:
            continue
        calls += row["usage"].get("calls", 0)
        for stage in STAGES:
            seconds[stage].append(row["timings"][stage])
        for stage, kinds in tokens.items():
            for kind, count in row["usage"][stage].items():
                if count is None:
                    unknown.add((stage, kind))
                else:
                    kinds[kind] += count
        if "log_likelihood" in row:
            likelihoods.append(row["log_likelihood"])
            scored_tokens += row["tokens"]
    n = counts.total()
    judged = config["metric"] == "accuracy"
    usage = _usage(tokens, unknown)
    return {
        **{key: config[key] for key in ("dataset", "split", "method", "metric")},
        "n": n,
        "correct": counts[RIGHT],
        "wrong": counts[WRONG],
        "unparsed": counts[NO_ANSWER] + counts[CUT_OFF],
        "cut_off": counts[CUT_OFF],
        "errors": counts[FAILED],
        "accuracy": counts[RIGHT] / n if judged and n else None,
        "ci95": list(asdict(wilson_interval(counts[RIGHT], n)).values()) if judged and n else None,
        **({"dialogues": summarize_turns(turns)} if turns else {}),
        **(_f1(f1) if config["kind"] == "span" and judged and n else {}),
        "nll": -math.fsum(likelihoods) / scored_tokens if scored_tokens else None,
        "timings": {stage: math.fsum(s) / len(s) if s else 0.0 for stage, s in seconds.items()},
        "usage": usage | {"calls": calls},
        "cost": cost(config, usage),
        "run": run,
    }


def _f1(values: list[float]) -> dict[str, Any]:
    mean, interval = mean_difference(values, [0.0] * len(values))
    ends = [max(0.0, interval.low), min(1.0, interval.high)]
    return {"f1": mean, "f1_ci95": ends}


def _usage(tokens: Mapping[str, Counter[str]], unknown: set[tuple[str, str]]) -> dict[str, Any]:
    kinds = ("prompt_tokens", "completion_tokens")
    stages = {
        stage: {kind: None if (stage, kind) in unknown else counted[kind] for kind in kinds}
        for stage, counted in tokens.items()
    }
    known = {kind: [counts[kind] for counts in stages.values()] for kind in kinds}
    return {kind: None if None in counts else sum(filter(None, counts)) for kind, counts in known.items()} | stages


def cost(config: Mapping[str, Any], usage: Mapping[str, Any]) -> float | None:
    """Return what the replies cost by the endpoint's prices, null without prices or counts.

    Replies from the cache count as if they had been asked for, so that methods compare. A first query by another
    model is left out: the prices are those of the endpoint's model.
    """
    endpoint = config["settings"]["endpoint"]
    prices = [endpoint["prompt_price"], endpoint["completion_price"]]
    own_first = config["settings"]["first_query"]["lm"] in (None, config["settings"]["lm"]["name"])
    counted = usage if own_first else usage["answer"]
    counts = [counted["prompt_tokens"], counted["completion_tokens"]]
    if None in prices or None in counts:
        return None
    return math.fsum(price * count / 1e6 for price, count in zip(prices, counts, strict=True))
