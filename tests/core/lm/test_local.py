import asyncio
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import torch

from dqlore.core.errors import ContextOverflow, LMError, UsageError
from dqlore.core.lm.base import Completion, Sampling
from dqlore.core.lm.local import LocalLM, load_local
from dqlore.core.prompts import Prompt, Shot

SHOTS = (
    Shot("Tom has 3 apples and buys 4. How many has he?", "He has 3 + 4 = 7.\nThe answer is 7."),
    Shot("A box holds 6 eggs. How many do 5 boxes hold?", "They hold 5 * 6 = 30.\nThe answer is 30."),
)
QUESTIONS = ("How much is 2 plus 9?", "Ann has 8 pens, loses 3 and finds 1. How many has she now?", "What is 7 * 7?")
PROMPTS = [Prompt(question, "Answer with the reasoning.", SHOTS) for question in QUESTIONS]
GREEDY = Sampling(max_tokens=12)


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, 240))


async def together(lm: LocalLM, prompts: list[Prompt], sampling: Sampling) -> list[Completion]:
    return [replies[0] for replies in await asyncio.gather(*(lm.complete(p, sampling) for p in prompts))]


async def streamed(lm: LocalLM, prompt: Prompt, sampling: Sampling) -> tuple[list[str], Completion]:
    items = [item async for item in lm.stream(prompt, sampling)]
    assert isinstance(items[-1], Completion)
    return [item for item in items[:-1] if isinstance(item, str)], items[-1]


def plain_greedy(folder: Path, lm: LocalLM, prompts: list[Prompt], tokens: int, ends: list[int]) -> list[str]:
    """Return what transformers' own generate writes, one prompt at a time."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    texts = []
    for prompt in prompts:
        read = torch.tensor([encoded(tokenizer, prompt)])
        out = model.generate(
            read, attention_mask=torch.ones_like(read), max_new_tokens=tokens, do_sample=False, eos_token_id=ends
        )
        assert read.shape[1] == lm.count_tokens(prompt)
        text = tokenizer.decode(out[0, read.shape[1] :], skip_special_tokens=True)
        texts.append(text.rstrip("\ufffd"))  # a character that the limit cut
    return texts


def encoded(tokenizer: Any, prompt: Prompt) -> list[int]:
    if not tokenizer.chat_template:
        return list(tokenizer.encode(prompt.text()))
    return list(tokenizer.apply_chat_template(prompt.messages(), add_generation_prompt=True, return_dict=False))


def literal_log_likelihood(folder: Path, prompt: Prompt, continuation: str, window: int) -> tuple[float, int]:
    """Return the sum of each token's log-probability after all tokens before it, one forward pass per token."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    text = continuation if tokenizer.chat_template else f" {continuation}"
    wanted = tokenizer.encode(text, add_special_tokens=False)
    context = encoded(tokenizer, prompt)[-(window - len(wanted) + 1) :]
    total = 0.0
    with torch.inference_mode():
        for position, token in enumerate(wanted):
            logits = model(torch.tensor([context + wanted[:position]])).logits[0, -1]
            total += float(logits.double().log_softmax(-1)[token])
    return total, len(wanted)


def test_a_batch_with_a_shared_prefix_says_what_each_prompt_gets_alone(smollm2: LocalLM, model_cache: Path) -> None:
    expected = plain_greedy(model_cache / "models" / "smollm2-135m", smollm2, PROMPTS, 8, [0, 2])
    short = Sampling(max_tokens=8)
    assert [reply.text for reply in run(together(smollm2, PROMPTS, short))] == expected
    assert run(streamed(smollm2, PROMPTS[1], short))[1].text == expected[1]  # a kept prefix, read once more


@pytest.mark.parametrize(
    ("config", "changes", "shares"),
    [
        ("LlamaConfig", {}, True),
        ("MistralConfig", {"sliding_window": 12}, False),
        ("GPT2Config", {"n_positions": 256, "n_embd": 32, "n_layer": 2, "n_head": 4}, True),
        ("BloomConfig", {"n_layer": 2, "n_head": 4}, False),
    ],
)
def test_other_architectures_answer_and_score_in_batches_as_alone(
    model_folder: Callable[..., Path], tmp_path: Path, config: str, changes: dict[str, Any], shares: bool
) -> None:
    folder = model_folder(config, **changes)
    lm = load_local(str(folder), device="cpu", dtype="float32", cache_dir=tmp_path)
    prompts = [Prompt(question, "", SHOTS) for question in QUESTIONS]
    expected = plain_greedy(folder, lm, prompts, 12, [2])
    assert [reply.text for reply in run(together(lm, prompts, GREEDY))] == expected
    assert lm._engine.shares_prefixes is shares
    scores = run(lm.log_likelihoods([(prompt, "It is 11.") for prompt in prompts]))
    for prompt, score in zip(prompts, scores, strict=True):
        total, tokens = literal_log_likelihood(folder, prompt, "It is 11.", 256)
        assert score.tokens == tokens
        assert score.total == pytest.approx(total, rel=1e-3)


def test_log_likelihood_is_the_sum_over_the_tokens_of_the_continuation(smollm2: LocalLM, model_cache: Path) -> None:
    asked = Prompt("Who wrote Faust?", "Be brief.")
    pairs = [(asked, "Goethe wrote it."), (asked, "Schiller"), (Prompt("How much is 2 plus 9?"), "11"), (asked, "")]
    scores = run(smollm2.log_likelihoods(pairs))
    folder = model_cache / "models" / "smollm2-135m"
    for (prompt, continuation), score in zip(pairs[:3], scores, strict=False):
        total, tokens = literal_log_likelihood(folder, prompt, continuation, 8192)
        assert score.tokens == tokens
        assert score.total == pytest.approx(total, rel=1e-3)
    assert (scores[3].total, scores[3].tokens) == (0.0, 0)


def test_a_short_window_cuts_the_context_from_its_left_and_never_the_continuation(
    model_folder: Callable[..., Path], tmp_path: Path
) -> None:
    folder = model_folder("LlamaConfig")
    lm = load_local(str(folder), device="cpu", dtype="float32", cache_dir=tmp_path, context_window=20)
    continuation = "It is 3 + 4, so it is 7."
    prompts = [Prompt(question, "", SHOTS) for question in QUESTIONS]
    for prompt, score in zip(prompts, run(lm.log_likelihoods([(p, continuation) for p in prompts])), strict=True):
        total, tokens = literal_log_likelihood(folder, prompt, continuation, 20)
        assert score.tokens == tokens
        assert score.total == pytest.approx(total, rel=1e-3)
    with pytest.raises(ContextOverflow, match="continuation of"):
        run(lm.log_likelihoods([(prompts[0], continuation * 4)]))


def test_a_stream_brings_the_completion_in_pieces_with_its_counts(smollm2: LocalLM) -> None:
    sampling = Sampling(max_tokens=8, logprobs=True)
    pieces, completion = run(streamed(smollm2, PROMPTS[0], sampling))
    assert len(pieces) > 3
    assert "".join(pieces) == completion.text
    assert completion.finish_reason == "length"
    assert completion.completion_tokens == 8
    assert completion.prompt_tokens == smollm2.count_tokens(PROMPTS[0])
    assert completion.token_logprobs is not None
    scores = run(smollm2.log_likelihoods([(PROMPTS[0], completion.text)]))
    assert sum(completion.token_logprobs) == pytest.approx(scores[0].total, rel=1e-3)


def test_a_chat_reply_ends_with_the_end_of_the_turn(smollm2: LocalLM) -> None:
    _, completion = run(streamed(smollm2, Prompt("What is the capital of France?"), Sampling(max_tokens=40)))
    assert completion.finish_reason == "stop"
    assert "Paris" in completion.text
    assert "<|" not in completion.text


def test_nothing_of_a_stop_string_is_streamed(smollm2: LocalLM) -> None:
    question = Prompt("What is the capital of France?")
    whole = run(streamed(smollm2, question, Sampling(max_tokens=20)))[1].text
    stop = whole[6:14]
    pieces, completion = run(streamed(smollm2, question, Sampling(max_tokens=20, stop=("never", stop))))
    assert "".join(pieces) == completion.text == whole[:6]
    assert completion.finish_reason == "stop"


def test_a_seeded_sample_repeats_whoever_shares_the_batch(smollm2: LocalLM) -> None:
    sampling = Sampling(max_tokens=6, temperature=1.0, top_p=0.95, n=3, seed=7)

    async def crowded() -> list[Completion]:
        others = (smollm2.complete(prompt, Sampling(max_tokens=5)) for prompt in PROMPTS[1:])
        return (await asyncio.gather(smollm2.complete(PROMPTS[0], sampling), *others))[0]

    alone = [reply.text for reply in run(smollm2.complete(PROMPTS[0], sampling))]
    assert len(set(alone)) > 1
    assert [reply.text for reply in run(crowded())] == alone


def test_leaving_a_stream_frees_the_model(smollm2: LocalLM) -> None:
    async def leave() -> tuple[str, Completion]:
        long = Prompt("Tell me a very long story about a dragon.")
        async with aclosing(smollm2.stream(long, Sampling(max_tokens=7000))) as stream:
            first = await anext(stream)
        assert isinstance(first, str)
        return first, (await smollm2.complete(PROMPTS[0], Sampling(max_tokens=1)))[0]

    first, completion = run(leave())
    assert first
    assert completion.completion_tokens == 1


def test_cancelling_a_completion_frees_the_model_and_the_loop_stays_free(smollm2: LocalLM) -> None:
    async def cancel() -> int:
        asked = asyncio.create_task(smollm2.complete(PROMPTS[0], Sampling(max_tokens=7000, temperature=5.0)))
        ticks = 0
        for _ in range(20):
            await asyncio.sleep(0.01)
            ticks += 1
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await smollm2.aclose()
        return ticks

    assert run(cancel()) == 20
    assert run(together(smollm2, PROMPTS[:1], Sampling(max_tokens=1)))[0].completion_tokens == 1


def test_a_prompt_that_leaves_no_room_for_the_reply_is_refused(smollm2: LocalLM) -> None:
    size = smollm2.count_tokens(PROMPTS[0])
    with pytest.raises(ContextOverflow, match="fewer exemplars") as refusal:
        run(smollm2.complete(PROMPTS[0], Sampling(max_tokens=8192 - size + 1)))
    assert (refusal.value.window, refusal.value.prompt_tokens) == (8192, size)


def test_without_a_chat_template_or_if_told_so_the_prompt_is_plain_text(
    model_folder: Callable[..., Path], tmp_path: Path
) -> None:
    template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[reply]"
    plain = load_local(str(model_folder("LlamaConfig")), device="cpu", cache_dir=tmp_path)
    chat = str(model_folder("LlamaConfig", template))
    never = load_local(chat, device="cpu", cache_dir=tmp_path, chat="never")
    auto = load_local(chat, device="cpu", cache_dir=tmp_path)
    assert plain.count_tokens(PROMPTS[0]) == never.count_tokens(PROMPTS[0]) != auto.count_tokens(PROMPTS[0])
    assert never.identity != auto.identity


def test_the_identity_changes_with_weights_and_dtype(model_folder: Callable[..., Path], tmp_path: Path) -> None:
    folder = str(model_folder("LlamaConfig"))
    other = str(model_folder("LlamaConfig", num_hidden_layers=1))
    kinds = [(folder, "float32"), (folder, "bfloat16"), (other, "float32"), (folder, "float32")]
    names = [load_local(f, device="cpu", dtype=dtype, cache_dir=tmp_path).identity for f, dtype in kinds]
    assert len(set(names)) == 3
    assert names[0] == names[3]


def test_what_is_no_model_is_named(model_folder: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("no model")
    broken = model_folder("LlamaConfig")
    (broken / "model.safetensors").unlink()
    for model, message in [
        (str(tmp_path / "empty"), "no config.json"),
        (str(tmp_path / "notes.txt"), "give a folder or a .gguf file"),
        (str(tmp_path / "absent.gguf"), "no model folder or .gguf file"),
        ("./absent/model", "no model folder or .gguf file"),
        (str(broken), "cannot be loaded"),
    ]:
        with pytest.raises(UsageError, match=message):
            load_local(model, device="cpu", cache_dir=tmp_path)
    with pytest.raises(UsageError, match="reads at most 256"):
        load_local(str(model_folder("LlamaConfig")), device="cpu", cache_dir=tmp_path, context_window=300)


def test_a_hub_that_does_not_answer_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(LMError, match="give the folder of a downloaded model"):
        load_local("nobody-at-all/no-such-model", device="cpu", cache_dir=tmp_path)
