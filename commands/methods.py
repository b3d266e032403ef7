"""`dqlore methods`: the ways to choose exemplars and what each costs."""

from . import options, render


def methods(json: options.Json = False) -> None:
    """List the methods with what they cost per answered question.

    Example: dqlore methods --json
    """
    from dqlore.core.methods import METHODS

    if json:
        render.emit_json(
            [
                {
                    "name": name,
                    "summary": method.summary,
                    "initial": method.initial,
                    "first_query": method.dual,
                    "retriever": method.retriever,
                    "rerank": method.reranker,
                    "lm_calls": method.lm_calls,
                    "encodes": method.encode_calls,
                }
                for name, method in METHODS.items()
            ]
        )
        return
    render.rows(
        ("method", "LM calls", "encodes", "what it does"),
        [(name, method.lm_calls, method.encode_calls, method.summary) for name, method in METHODS.items()],
    )
