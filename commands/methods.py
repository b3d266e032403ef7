"""`dqlore methods`: the ways to choose exemplars and what each costs."""

from . import options, render


def methods(json: options.Json = False, config: options.Config = None) -> None:
    """List the methods with what they cost per answered question; the one in use is marked.

    Example: dqlore methods --json
    """
    from dqlore.core.methods import METHODS

    in_use = options.settings(config).select.method
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
                    "in_use": name == in_use,
                }
                for name, method in METHODS.items()
            ]
        )
        return
    render.rows(
        ("method", "LM calls", "encodes", "what it does"),
        [
            (name + (" *" if name == in_use else ""), method.lm_calls, method.encode_calls, method.summary)
            for name, method in METHODS.items()
        ],
    )
