import json
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from safetensors.torch import save_file

from dqlore.core.encoder import load_encoder
from dqlore.core.encoder.light import LightEncoder
from dqlore.core.errors import DqloreError, UsageError
from dqlore.core.train.epr import Epr
from dqlore.core.train.fit import fit
from dqlore.core.train.rows import Scored
from dqlore.core.train.trainer import NotFinite


def run(pool, rows, out, recipe, *, resume=False, stop_at=None):
    """Fit on the CPU in float32; with `stop_at` as if interrupted when that step is told."""
    told = []

    def tell(step):
        if step.loss is not None:
            told.append((step.step, step.loss))
            if step.step == stop_at:
                raise KeyboardInterrupt

    out.mkdir(exist_ok=True)
    try:
        return fit(pool, rows, out, recipe, device="cpu", dtype="float32", resume=resume, tell=tell), told
    except KeyboardInterrupt:
        return None, told


def vectors(out: Path) -> np.ndarray:
    """What a trained encoder makes of some texts."""
    encoder = load_encoder(str(out / "encoder"), device="cpu", dtype="float32")
    return encoder.encode(["how many apples", "bob gives her two more", "the answer is left"]).vectors


def test_too_little_memory_says_what_to_change(pool, scored, recipe, tmp_path):
    def tell(step):
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(
        DqloreError, match=r"memory for 4 anchors at once: .*smaller train\.batch_size, in a new --out"
    ):
        fit(pool, scored, tmp_path, recipe(), device="cpu", dtype="float32", tell=tell)


@pytest.fixture
def batches(monkeypatch):
    """The anchors of each batch, in order."""
    seen = []
    batch = Epr.batch

    def noted(self, anchors, epoch):
        seen.append((epoch, self.names(anchors)))
        return batch(self, anchors, epoch)

    monkeypatch.setattr(Epr, "batch", noted)
    return seen


def test_a_resumed_run_is_the_run_without_the_stop(pool, scored, recipe, tmp_path, batches):
    whole, losses = run(pool, scored, tmp_path / "whole", recipe())
    order = batches[:]
    batches.clear()
    _, before = run(pool, scored, tmp_path / "stopped", recipe(), stop_at=11)
    batches.clear()
    resumed, after = run(pool, scored, tmp_path / "stopped", recipe(), resume=True)
    assert [step for step, _ in losses] == list(range(1, 21))
    assert [step for step, _ in after] == list(range(11, 21))  # steps 1 to 10 are not done twice
    assert [loss for _, loss in before[:10]] == [loss for _, loss in losses[:10]]
    assert [loss for _, loss in after] == pytest.approx([loss for _, loss in losses[10:]], abs=1e-6)
    assert batches == order[10:]
    assert np.allclose(resumed.losses, whole.losses, atol=1e-6)
    assert resumed.metrics == whole.metrics
    assert np.allclose(vectors(tmp_path / "whole"), vectors(tmp_path / "stopped"), atol=1e-5)
    assert not (tmp_path / "stopped" / "checkpoints").exists()
    written = [json.loads(line) for line in (tmp_path / "stopped" / "history.jsonl").read_text().splitlines()]
    assert [row["step"] for row in written if "loss" in row] == list(range(1, 21))
    assert len([row for row in written if "metrics" in row]) == 2


def test_the_same_seed_is_the_same_run_and_another_is_not(pool, scored, recipe, tmp_path):
    one, again, other = (
        run(pool, scored, tmp_path / str(i), recipe(epochs=2, seed=seed))[0] for i, seed in enumerate((0, 0, 1))
    )
    assert one.losses == again.losses and one.metrics == again.metrics
    assert one.losses != other.losses


def test_what_was_trained_opens_everywhere(pool, scored, recipe, tmp_path):
    from sentence_transformers import SentenceTransformer

    fitted, _ = run(pool, scored, tmp_path / "run", recipe(epochs=1))
    folder = tmp_path / "run" / "encoder"
    ours = load_encoder(str(folder), device="cpu", dtype="float32")
    assert isinstance(ours, LightEncoder)
    texts = [pool[0].question, pool[1].question]
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    assert np.allclose(ours.encode(texts).vectors, theirs, atol=1e-5)
    assert not np.allclose(np.linalg.norm(theirs, axis=1), 1)  # raw inner products: no unit vectors
    assert not [path for path in folder.rglob("*") if path.suffix in (".bin", ".pt", ".pth", ".pkl")]
    assert fitted.anchors["train"] + fitted.anchors["validation"] + fitted.anchors["test"] == 30


def test_cosine_ends_in_a_normalize_layer(pool, scored, recipe, tmp_path):
    run(pool, scored, tmp_path / "run", recipe(epochs=1, similarity="cosine", scale=20.0))
    encoder = load_encoder(str(tmp_path / "run" / "encoder"), device="cpu", dtype="float32")
    assert np.allclose(np.linalg.norm(encoder.encode(["how many apples"]).vectors, axis=1), 1, atol=1e-5)


def test_a_damaged_checkpoint_is_named_and_the_older_one_used(pool, scored, recipe, tmp_path):
    run(pool, scored, tmp_path / "run", recipe(checks=4, epochs=4), stop_at=12)
    newest = tmp_path / "run" / "checkpoints" / "checkpoint-10"
    assert (newest.parent / "checkpoint-5").is_dir()
    file = newest / "model.safetensors"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    fitted, told = run(pool, scored, tmp_path / "run", recipe(checks=4, epochs=4), resume=True)
    assert told[0][0] == 6 and fitted.done == 20
    assert any("checkpoint-10" in warning and "model.safetensors" in warning for warning in fitted.warnings)


def test_a_loss_that_is_no_number_ends_the_run(pool, scored, recipe, tmp_path):
    with pytest.raises(NotFinite, match=r"at step \d+ \(anchors e\d+, e\d+") as caught:
        run(pool, scored, tmp_path / "run", recipe(learning_rate=1e30, warmup=0.6, checks=10))
    assert caught.value.exit_code == 1
    assert "learning_rate" in str(caught.value)
    for checkpoint in (tmp_path / "run" / "checkpoints").glob("checkpoint-*/model.safetensors"):
        assert all(np.isfinite(value).all() for value in load_file(checkpoint).values())
    assert not (tmp_path / "run" / "encoder").exists()


def test_one_row_of_nan_is_told_with_the_last_good_encoder(pool, scored, recipe, tmp_path, monkeypatch):
    """From step 13 on a text is encoded as NaN; the best checkpoint, of step 10 or before, stays."""
    from dqlore.core.train import loss

    embed, calls = loss.embed_by_length, []

    def broken(*arguments):
        calls.append(1)
        vectors = embed(*arguments)
        return vectors * torch.nan if len(calls) == 13 else vectors

    monkeypatch.setattr(loss, "embed_by_length", broken)
    with pytest.raises(NotFinite, match=r"step 13 .*the best encoder so far is in .*checkpoint-(5|10);"):
        run(pool, scored, tmp_path / "run", recipe(checks=4))


def test_training_stops_when_the_held_out_anchors_get_no_better(pool, scored, recipe, tmp_path):
    """With a learning rate of next to nothing no check is better than the first."""
    fitted, _ = run(pool, scored, tmp_path / "run", recipe(learning_rate=1e-30, checks=10, patience=2))
    assert fitted.best == 2 and fitted.done == 6 and fitted.steps == 20


def test_anchors_the_model_does_not_tell_apart_are_left_out_and_counted(pool, scored, recipe, tmp_path):
    rows = [Scored(r.anchor, r.candidates, (1.0,) * 12) if i < 4 else r for i, r in enumerate(scored)]
    rows[4] = Scored(rows[4].anchor, rows[4].candidates[:4], rows[4].scores[:4])
    fitted, _ = run(pool, rows, tmp_path / "run", recipe(epochs=1))
    assert fitted.anchors["tied"] == 4 and fitted.anchors["fewer_candidates"] == 1
    with pytest.raises(UsageError, match=r"7 of 7 anchors .* at least 8"):
        run(pool, scored[:7], tmp_path / "few", recipe())


def test_texts_above_the_encoders_length_are_counted(pool, scored, recipe, tmp_path):
    from tiny_encoder import write_encoder

    short = write_encoder(tmp_path / "short", normalize=False, limit=12)
    fitted, _ = run(pool, scored, tmp_path / "run", recipe(epochs=1, encoder=str(short)))
    assert any("30 of 30 retrieval texts" in warning for warning in fitted.warnings)


def test_the_question_view_encodes_anchors_without_their_rationale(pool, recipe):
    from transformers import AutoTokenizer

    from dqlore.core.train.texts import Texts

    tokenizer = AutoTokenizer.from_pretrained(recipe().encoder)
    both, asked = (Texts(pool, ["e0"], view, tokenizer, 40) for view in ("question+cot", "question"))
    assert both.anchor["e0"] == both.exemplar["e0"] == asked.exemplar["e0"]
    assert asked.anchor["e0"] == pool[0].question


@pytest.mark.parametrize("kind", ["absent", "empty", "damaged"])
def test_an_encoder_folder_that_is_none(pool, scored, recipe, tmp_path, kind):
    folder = tmp_path / "no-encoder"
    if kind != "absent":
        folder.mkdir()
    if kind == "damaged":
        (folder / "config.json").write_text("{}")
        save_file({"x": torch.zeros(1)}, folder / "model.safetensors")
    with pytest.raises(UsageError, match="no-encoder"):
        run(pool, scored, tmp_path / "run", recipe(encoder=str(folder)))


_SCRIPT = """
import json, sys
from pathlib import Path
import torch
torch.set_num_threads(1)
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.train.fit import fit
from dqlore.core.train.presets import Recipe
from dqlore.core.train.rows import Scored
pool, rows, recipe, out = json.load(open(sys.argv[1]))
pool = Pool(tuple(Exemplar(*fields) for fields in pool))
rows = [Scored(a, tuple(c), tuple(s)) for a, c, s in rows]
fit(pool, rows, Path(out), Recipe(**recipe), device="cpu", dtype="float32", tell=lambda s: print(s.step, flush=True))
"""


def test_a_killed_fit_goes_on_to_the_same_encoder(pool, scored, recipe, tmp_path):
    plan = recipe(epochs=40, checks=20)
    (tmp_path / "killed").mkdir()
    job = tmp_path / "job.json"
    texts = [(e.id, e.question, e.rationale, e.answer) for e in pool]
    rows = [(r.anchor, r.candidates, r.scores) for r in scored]
    job.write_text(json.dumps([texts, rows, asdict(plan), str(tmp_path / "killed")]))
    command = [sys.executable, "-c", _SCRIPT, str(job)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if int(line) >= 47:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not (tmp_path / "killed" / "encoder").exists()
    resumed, told = run(pool, scored, tmp_path / "killed", plan, resume=True)
    whole, _ = run(pool, scored, tmp_path / "whole", plan)
    assert told[0][0] > 30
    assert resumed.best == whole.best
    assert np.allclose(vectors(tmp_path / "whole"), vectors(tmp_path / "killed"), atol=1e-4)
