"""Scores of many continuations in packs, against a literal sum over single passes of transformers."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from dqlore.core.lm import scoring
from dqlore.core.lm.batching import Budget
from dqlore.core.lm.decoding import Target
from dqlore.core.lm.local import LocalLM, load_local
from dqlore.core.lm.scoring import Group, score_group
from dqlore.core.prompts import Prompt, Shot

FEW = tuple(range(20, 60))


def hand_sum(model: Any, context: Sequence[int], continuation: Sequence[int]) -> float:
    """Return log P(continuation | context), one pass and one token at a time."""
    total = 0.0
    read = list(context)
    for token in continuation:
        with torch.inference_mode():
            logits = model(torch.tensor([read])).logits[0, -1]
        total += float(logits.double().log_softmax(-1)[token])
        read.append(token)
    return total


def reference(folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


def tiny(folder: Path, cache: Path, window: int | None = None) -> LocalLM:
    return load_local(str(folder), device="cpu", dtype="float32", cache_dir=cache, context_window=window)


def score(lm: LocalLM, families: Sequence[Sequence[Target]], tokens: int = 512) -> list[float]:
    """Score token sequences as they are."""
    score_group(lm._engine, Group(families), Budget(tokens, 10**6), Budget(24_576, 10**6))
    return [target.score.total for family in families for target in family]


def target(context: Sequence[int], continuation: Sequence[int]) -> Target:
    return Target((*context, *continuation[:-1]), tuple(continuation))


def some_families() -> list[list[Target]]:
    """Three exemplars' prompts: many anchors, one anchor, and two that share only three tokens."""
    ends = [(7 * i + 1, *range(100, 100 + i % 5), 9) for i in range(9)]
    return [
        [target((*FEW, *end), tuple(range(300, 301 + i))) for i, end in enumerate(ends)],
        [target((1, 2, 3, 4), (5, 6))],
        [target((1, 2, 3, i), (5, 6, 7)) for i in (8, 9)],
    ]


@pytest.mark.parametrize(
    ("config", "packs"),
    [("LlamaConfig", True), ("Qwen2Config", True), ("GPT2Config", True), ("MistralConfig", False)],
)
def test_scores_are_the_sums_over_single_tokens(
    model_folder: Callable[..., Path], model_cache: Path, config: str, packs: bool
) -> None:
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4} if config == "GPT2Config" else {}
    sizes |= {"sliding_window": 16} if config == "MistralConfig" else {}
    folder = model_folder(config, **sizes)
    lm, model = tiny(folder, model_cache), reference(folder)
    assert lm._engine.reads_packs is packs
    families = some_families()
    expected = [hand_sum(model, t.tokens[: len(t.tokens) - t.last + 1], t.continuation) for f in families for t in f]
    assert score(lm, families) == pytest.approx(expected, rel=1e-5)
    lm._engine.shares_prefixes  # noqa: B018 - replies switch the attention; scores stay
    assert score(lm, some_families(), tokens=60) == pytest.approx(expected, rel=1e-5)


def test_scores_repeat_to_the_bit(model_folder: Callable[..., Path], model_cache: Path) -> None:
    lm = tiny(model_folder("LlamaConfig"), model_cache)
    assert score(lm, some_families(), tokens=100) == score(lm, some_families(), tokens=100)


def test_parts_side_by_side_give_the_same_scores(
    model_folder: Callable[..., Path], model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = tiny(model_folder("LlamaConfig"), model_cache)
    expected = score(lm, some_families())
    monkeypatch.setattr(scoring, "_JOINED", 5)
    monkeypatch.setattr(scoring, "_DIVIDED", 30)
    parts = scoring._parts(some_families())
    assert len(parts) > 3
    assert sum(len(family) for part in parts for family in part) == 12
    assert score(lm, some_families()) == pytest.approx(expected, rel=1e-6)


def test_a_failing_part_fails_the_group(
    model_folder: Callable[..., Path], model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = tiny(model_folder("LlamaConfig"), model_cache)
    monkeypatch.setattr(lm._engine, "log_probabilities", lambda *_: 1 / 0)
    assert lm._engine.reads_packs
    with pytest.raises(ZeroDivisionError):
        asyncio.run(lm.log_likelihoods([(Prompt("1 + 1?"), "2"), (Prompt("2 + 2?"), "4")]))
    assert lm._engine._model.get_output_embeddings() is lm._engine._head


@pytest.mark.parametrize("config", ["LlamaConfig", "MistralConfig"])
def test_a_group_that_nobody_waits_for_is_given_up(
    model_folder: Callable[..., Path], model_cache: Path, config: str
) -> None:
    lm = tiny(model_folder(config, **({"sliding_window": 16} if config == "MistralConfig" else {})), model_cache)
    group = Group(some_families())
    group.result.cancel()
    score_group(lm._engine, group, Budget(60, 10**6), Budget(60, 10**6))
    assert [target.score for family in group.families for target in family] == [None] * 12


@pytest.mark.parametrize(
    ("config", "sizes"),
    [
        ("NanoChatConfig", {}),
        (
            "LlamaConfig",
            {
                "rope_parameters": {
                    "rope_type": "longrope",
                    "rope_theta": 10_000.0,
                    "factor": 2.0,
                    "short_factor": [1.0] * 4,
                    "long_factor": [2.0] * 4,
                    "original_max_position_embeddings": 64,
                }
            },
        ),
    ],
    ids=["capped logits", "frequencies by length"],
)
def test_models_that_packs_would_change_are_scored_in_batches(
    model_folder: Callable[..., Path], model_cache: Path, config: str, sizes: dict[str, Any]
) -> None:
    folder = model_folder(config, **sizes)
    lm, model = tiny(folder, model_cache), reference(folder)
    assert not lm._engine.reads_packs
    wanted = target((1, 2, 3, 4), (5, 6))
    assert score(lm, [[wanted]]) == pytest.approx([hand_sum(model, (1, 2, 3, 4), (5, 6))], rel=1e-5)


def test_bfloat16_stays_near_float32_and_leaves_the_model_as_it_was(smollm2: LocalLM, model_cache: Path) -> None:
    shot = Shot("A box holds 4 pens. How many pens are in 3 boxes?", "4 x 3 = 12\nThe answer is 12.")
    asked = [
        (Prompt(f"Tom has {n} bags of 5 nuts. How many nuts?", "Solve it.", (shot,)), f"5 x {n}") for n in (2, 3)
    ]
    short = load_local("smollm2-135m", device="cpu", dtype="bfloat16", cache_dir=model_cache)
    found = [each.total for each in asyncio.run(short.log_likelihoods(asked))]
    assert short._engine.reads_packs
    exact = [each.total for each in asyncio.run(smollm2.log_likelihoods(asked))]
    assert found != exact
    assert found == pytest.approx(exact, rel=0.02)
    for module in short._engine._model.modules():
        assert "forward" not in vars(module)
        assert not module._forward_hooks
        assert not module._forward_pre_hooks


@pytest.mark.parametrize("window", [64, 10], ids=["whole", "cut on the left"])
def test_a_context_cut_on_the_left_leaves_the_continuation_whole(
    model_folder: Callable[..., Path], model_cache: Path, window: int
) -> None:
    folder = model_folder("LlamaConfig")
    lm = tiny(folder, model_cache, window)
    model = reference(folder)
    prompt, continuation = Prompt("a b c d e f g"), "one two three four five"
    context, wanted = lm._tokens.of_prompt(prompt), lm._tokens.of_continuation(continuation)
    assert (len(context), len(wanted)) == (12, 5)
    [found] = asyncio.run(lm.log_likelihoods([(prompt, continuation)]))
    seen = context[-(window - len(wanted) + 1) :]
    assert found.total == pytest.approx(hand_sum(model, seen, wanted), abs=1e-4)
    assert (found.tokens, found.cut) == (5, window == 10)


def test_the_bundled_model_scores_a_prompt_as_transformers_does(smollm2: LocalLM, model_cache: Path) -> None:
    shot = Shot("A box holds 4 pens. How many pens are in 3 boxes?", "4 x 3 = 12\nThe answer is 12.")
    prompts = [Prompt(f"Tom has {n} bags of 5 nuts. How many nuts?", "Solve it.", (shot,)) for n in (2, 3)]
    pairs = [(prompt, f"5 x {n} = {5 * n}") for n, prompt in zip((2, 3), prompts, strict=True)]
    found = asyncio.run(smollm2.log_likelihoods(pairs))
    model = reference(model_cache / "models" / "smollm2-135m")
    for (prompt, continuation), score in zip(pairs, found, strict=True):
        wanted = smollm2._tokens.of_continuation(continuation)
        expected = hand_sum(model, smollm2._tokens.of_prompt(prompt), wanted)
        assert score.total == pytest.approx(expected, rel=1e-4)
        assert score.tokens == len(wanted)
    one_by_one = [asyncio.run(smollm2.log_likelihoods([pair]))[0].total for pair in pairs]
    assert [score.total for score in found] == pytest.approx(one_by_one, rel=1e-5)


def test_an_empty_continuation_has_the_probability_one(smollm2: LocalLM) -> None:
    assert asyncio.run(smollm2.log_likelihoods([(Prompt("1 + 1?"), "")]))[0].total == 0.0
    assert asyncio.run(smollm2.log_likelihoods([])) == []
