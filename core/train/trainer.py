"""The sentence-transformers trainer with our batches, sealed checkpoints, and an end at the first bad number."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator
from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
from torch import Tensor, nn
from transformers import EarlyStoppingCallback, TrainerCallback
from transformers.trainer_callback import PrinterCallback
from transformers.training_args import ParallelMode

from ..device import Device
from ..errors import DqloreError
from .checkpoints import seal
from .history import Step
from .metrics import NAMES, FloatArray
from .presets import Recipe
from .triplets import epoch_order

#: The metric of held-out anchors that decides which checkpoint is the best.
WATCHED = "ndcg@8"


class Objective(Protocol):
    """What is trained: how anchors become the texts of a batch, and the loss over their embeddings."""

    loss: nn.Module

    def __len__(self) -> int:
        """Return the number of anchors."""
        ...

    def batch(self, anchors: Sequence[int], epoch: int) -> tuple[list[str], Tensor]:
        """Return the texts of a batch and what `loss` needs to know of them."""
        ...

    def names(self, anchors: Sequence[int]) -> list[str]:
        """Return the ids of anchors."""
        ...


class _Batches(DefaultBatchSampler):  # type: ignore[misc]
    """Anchors in an order that depends on seed and epoch alone, so that a resumed run meets the same batches."""

    def __init__(self, size: int, batch_size: int, seed: int) -> None:
        super().__init__(range(size), batch_size=batch_size, drop_last=False, seed=seed)
        self._size = size

    def __iter__(self) -> Iterator[list[int]]:
        order = epoch_order(self._size, self.seed, self.epoch)
        for start in range(0, self._size, self.batch_size):
            yield list(order[start : start + self.batch_size])

    def __len__(self) -> int:
        return math.ceil(self._size / int(self.batch_size))


class _Collator(SentenceTransformerDataCollator):  # type: ignore[misc]
    """Makes a batch of anchors: one column of texts, and what the loss needs to know of them."""

    def __init__(self, model: SentenceTransformer, objective: Objective, batches: _Batches) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._objective = objective
        self._batches = batches

    def __call__(self, features: Sequence[dict[str, int]]) -> dict[str, Any]:
        anchors = [row["anchor"] for row in features]
        texts, labels = self._objective.batch(anchors, self._batches.epoch)
        columns = {f"texts_{name}": value for name, value in self.preprocess_fn(texts).items()}
        return columns | {"label": labels, "anchors": torch.tensor(anchors)}


class Trainer(SentenceTransformerTrainer):  # type: ignore[misc]
    """Trains `model` on `objective`; checkpoints go to `folder`, `tell` hears of every step."""

    def __init__(
        self,
        model: SentenceTransformer,
        objective: Objective,
        recipe: Recipe,
        device: Device,
        folder: Path,
        held_out: Callable[[SentenceTransformer], Mapping[str, FloatArray]],
        tell: Callable[[Step], None],
    ) -> None:
        self._objective = objective
        self._folder = folder
        self._batches = _Batches(len(objective), recipe.batch_size, recipe.seed)
        steps = recipe.epochs * len(self._batches)
        every = max(1, steps // recipe.checks)
        super().__init__(
            model=model,
            args=SentenceTransformerTrainingArguments(
                output_dir=str(folder),
                num_train_epochs=recipe.epochs,
                per_device_train_batch_size=recipe.batch_size,
                learning_rate=recipe.learning_rate,
                lr_scheduler_type="linear",
                warmup_steps=math.ceil(recipe.warmup * steps),
                weight_decay=0.0,  # AdamW without decay is Adam
                bf16=device.dtype == "bfloat16",
                fp16=device.dtype == "float16" and device.name.startswith("cuda"),
                use_cpu=device.name == "cpu",
                seed=recipe.seed,
                eval_strategy="steps",
                eval_steps=every,
                save_strategy="steps",
                save_steps=every,
                save_total_limit=2,
                load_best_model_at_end=True,
                metric_for_best_model=WATCHED,
                greater_is_better=True,
                logging_strategy="steps",
                logging_steps=max(1, steps // 500),
                logging_nan_inf_filter=False,
                report_to="none",
                disable_tqdm=True,
                restore_callback_states_from_checkpoint=True,
            ),
            train_dataset=Dataset.from_dict({"anchor": list(range(len(objective)))}),
            loss=objective.loss,
            evaluator=_HeldOut(held_out),
            data_collator=_Collator(model, objective, self._batches),
            callbacks=[EarlyStoppingCallback(recipe.patience), _Teller(tell)],
        )
        self.remove_callback(PrinterCallback)
        if torch.cuda.device_count() > 1 and self.args.parallel_mode == ParallelMode.NOT_DISTRIBUTED:
            self.args._n_gpu = 1  # several processes, one a GPU, are faster than the threads it would use

    def get_batch_sampler(self, *_: Any, **__: Any) -> DefaultBatchSampler:
        """Return the order of the anchors."""
        return self._batches

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """Write no model card: `train.json` says how the encoder was made."""

    def training_step(self, model: nn.Module, inputs: dict[str, Any], *more: Any, **named: Any) -> Tensor:
        """Return the loss of a step. Raises NotFinite before it can reach the weights."""
        self._anchors = inputs.pop("anchors").tolist()
        loss: Tensor = super().training_step(model, inputs, *more, **named)
        if not bool(torch.isfinite(loss)):
            raise NotFinite(self._where("the loss is not a finite number", self.state.global_step + 1))
        return loss

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        # Without the training arguments, which the library would pickle.
        self.model.save_pretrained(output_dir, create_model_card=False)

    def evaluate(self, *arguments: Any, **named: Any) -> Any:
        """Return the metrics of the held-out anchors. Raises NotFinite before broken weights could be saved."""
        if not all(bool(torch.isfinite(weights).all()) for weights in self.model.parameters()):
            raise NotFinite(self._where("a weight is not a finite number", self.state.global_step))
        try:
            return super().evaluate(*arguments, **named)
        except FloatingPointError as error:
            raise NotFinite(self._where(str(error), self.state.global_step)) from None

    def _save_checkpoint(self, model: nn.Module, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        self.accelerator.wait_for_everyone()
        if self.is_world_process_zero():
            seal(self._folder / f"checkpoint-{self.state.global_step}")

    def _load_best_model(self) -> None:
        # Unlike the library's own, which goes on with the last weights where this fails.
        self._load_from_checkpoint(self.state.best_model_checkpoint)

    def _where(self, what: str, step: int) -> str:
        best = self.state.best_model_checkpoint
        kept = f"the best encoder so far is in {best}" if best else "no encoder was kept yet"
        anchors = ", ".join(self._objective.names(self._anchors))
        return (
            f"{what} at step {step} (anchors {anchors}): training stopped, {kept}; use a smaller train.learning_rate"
        )


class NotFinite(DqloreError):
    """A loss or weight became NaN or infinite."""


class _HeldOut(SentenceEvaluator):  # type: ignore[misc]
    """Measures held-out anchors for the trainer."""

    def __init__(self, measure: Callable[[SentenceTransformer], Mapping[str, FloatArray]]) -> None:
        super().__init__()
        self._measure = measure

    def __call__(self, model: SentenceTransformer, *_: Any, **__: Any) -> dict[str, float]:
        return {name: float(values.mean()) for name, values in self._measure(model).items()}


class _Teller(TrainerCallback):  # type: ignore[misc]
    """Passes on what the trainer logs."""

    def __init__(self, tell: Callable[[Step], None]) -> None:
        self._tell = tell

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if state.is_world_process_zero and "loss" in logs:
            loss, rate = float(logs["loss"]), float(logs["learning_rate"])
            self._tell(Step(state.global_step, state.max_steps, state.epoch, loss, rate))

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> None:
        if state.is_world_process_zero:
            values = {name: metrics[f"eval_{name}"] for name in NAMES}
            self._tell(Step(state.global_step, state.max_steps, state.epoch, metrics=values))
