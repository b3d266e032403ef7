"""Typed settings: flag > `DQLORE_*` environment > ./dqlore.toml (or --config) > user config folder > default.

Each key is one field with a sentence that says what it does; `settings_file` turns them into the commented file that
`dqlore init` writes. Keys for endpoints are never settings: `endpoint.api_key_env` only names the variable.
"""

import difflib
import os
import re
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
import tomli
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from .errors import UsageError

FILE_NAME = "dqlore.toml"
ENV_PREFIX = "DQLORE_"


def _expanded(value: object) -> object:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a path holds no NUL character")
    return os.path.expanduser(value) if isinstance(value, str) else value


def _variable(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z_]\w*", value, re.ASCII):
        raise ValueError("it takes the name of an environment variable, never the key itself")
    return value


def _without_password(value: object) -> object:
    if isinstance(value, str) and "@" in value.partition("://")[2].partition("/")[0]:
        raise ValueError(
            "it holds a name or password; take it out and put the key into the variable that endpoint.api_key_env "
            "names"
        )
    return value


UserPath = Annotated[Path, BeforeValidator(_expanded)]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_value_for_a_number(cls, value: object, about: ValidationInfo) -> object:
        if isinstance(value, bool) and cls.model_fields[str(about.field_name)].annotation is not bool:
            raise ValueError("it takes neither true nor false")
        return value


class PoolSettings(Section):
    path: str = Field(
        "starter", description="JSONL, CSV or Parquet file of solved cases, a dataset, or the bundled `starter`."
    )
    map: dict[str, str] = Field({}, description='Renames fields of the file, for instance { question = "prompt" }.')
    skip_bad: bool = Field(False, description="Skip rows that cannot be read, and count them, instead of stopping.")
    where: dict[str, str] = Field(
        {}, description='Keeps only rows with these values in their other fields, for instance { level = "hard" }.'
    )


class IndexSettings(Section):
    path: UserPath | None = Field(None, description="Index folder made by `dqlore index`; without it one is cached.")


class EncoderSettings(Section):
    name: str = Field("minilm", description="Bundled `minilm`, or a sentence-transformers or BERT folder or hub id.")
    normalize: Literal["model", "always", "never"] = Field(
        "model", description="Unit-length vectors: as the model says, always, or never (raw inner products)."
    )


class LMSettings(Section):
    name: str = Field(
        "local:smollm2-135m",
        description="local:MODEL (bundled smollm2-135m, folder, .gguf or hub id), openai:MODEL, or replay:FILE.",
    )
    max_tokens: int = Field(256, ge=1, description="Longest reply, in tokens.")
    temperature: float = Field(0.0, ge=0, le=2, description="0 is greedy and repeatable.")
    top_p: float = Field(1.0, gt=0, le=1, description="Nucleus sampling, used when the temperature is above 0.")
    seed: int | None = Field(None, description="Makes sampled replies repeatable, and so cacheable.")
    context_window: int | None = Field(None, ge=64, description="Tokens the model takes, where it cannot be asked.")
    chat: Literal["auto", "never"] = Field(
        "auto", description="Use the chat template of a local model if it has one."
    )


class FirstQuerySettings(Section):
    lm: str | None = Field(None, description="Another model for the first query, for instance replay:recorded.jsonl.")
    n: int = Field(8, ge=0, description="Initial exemplars in the first query.")
    initial: str | None = Field(None, description="How they are chosen; without it the method says.")
    file: UserPath | None = Field(None, description="Exemplar file for the initial exemplars `manual`.")


class EndpointSettings(Section):
    base_url: Annotated[str, BeforeValidator(_without_password)] = Field(
        "https://api.openai.com/v1", description="Any OpenAI-compatible server."
    )
    api: Literal["chat", "completions"] = Field("chat", description="Which of the two OpenAI interfaces to use.")
    api_key_env: Annotated[str, BeforeValidator(_variable)] = Field(
        "OPENAI_API_KEY", description="The environment variable that holds the key."
    )
    concurrency: int = Field(8, ge=1, description="Requests under way at once.")
    max_retries: int = Field(5, ge=0, description="Tries again after 429 and 5xx.")
    max_wait: float = Field(60.0, ge=0, description="Longest wait a server may ask for, in seconds.")
    prompt_price: float | None = Field(None, ge=0, description="Price of a million prompt tokens, for `eval`.")
    completion_price: float | None = Field(None, ge=0, description="Price of a million reply tokens, for `eval`.")
    connect_timeout: float = Field(5.0, gt=0, description="Seconds to reach the server.")
    first_token_timeout: float = Field(120.0, gt=0, description="Seconds to the first piece of a reply.")
    idle_timeout: float = Field(60.0, gt=0, description="Seconds between two pieces of a reply.")


class SelectSettings(Section):
    method: str = Field("dq-lore", description="How exemplars are chosen; `dqlore methods` lists them.")
    m: int = Field(64, ge=1, description="Candidates M that retrieval brings.")
    n: int = Field(8, ge=0, description="Exemplars n that go into the final prompt.")
    order: Literal["best-last", "best-first"] = Field(
        "best-last", description="Exemplars in the prompt: the best next to the question, or first."
    )
    dedupe: bool = Field(False, description="Drop exact duplicates among the candidates.")
    max_prompt_tokens: int | None = Field(None, ge=1, description="Drop the lowest exemplars above this length.")


class BM25Settings(Section):
    field: Literal["question", "rationale", "both"] = Field(
        "question", description="The text of an exemplar whose words are searched."
    )
    stem: Literal[
        "none", "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian",
        "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "turkish",
    ] = Field("none", description="The language whose word endings are folded: jars finds jar.")  # fmt: skip


class PassageSettings(Section):
    path: str | None = Field(
        None, description="Collection to read: a JSONL, CSV, Parquet or SQuAD file, or a dataset that brings one."
    )
    map: dict[str, str] = Field({}, description='Renames fields of the file, for instance { text = "contents" }.')
    retriever: Literal["bm25", "dense"] = Field("bm25", description="By words, or by the encoder's vectors.")
    n: int = Field(10, ge=1, description="Passages N that a question is answered from.")


class SureSettings(Section):
    k: int = Field(2, ge=1, le=26, description="Answer candidates K.")
    verdict_tokens: int = Field(
        16, ge=1, description="Longest reply to yes-or-no and which-is-better; raise it for models that think first."
    )


class RerankSettings(Section):
    name: str | None = Field(None, description="Re-ranker; without it the method says.")
    dim: int | None = Field(None, ge=1, description="Directions kept by pca and kernel-pca, components of ica.")
    fit: Literal["candidates", "pool"] | None = Field(
        None, description="Whether pca learns its directions from the candidates (default) or the pool."
    )
    sigma: float | None = Field(None, gt=0, description="Width of the Gaussian kernel.")
    alpha: float | None = Field(None, ge=0, description="Weight of diversity in mmr.")
    lam: float | None = Field(None, gt=0, description="Trade-off λ of relevance and diversity in dpp.")


class TrainSettings(Section):
    preset: Literal["paper", "quick"] = Field(
        "quick", description="Values for what is not set below: the paper's, or the bundled encoder in minutes."
    )
    view: Literal["question+cot", "question"] = Field(
        "question+cot", description="What an anchor is encoded by: with its rationale (DQ-LoRe), or without (EPR)."
    )
    objective: Literal["epr", "ceil"] = Field(
        "epr", description="Train on single exemplars (eq. 2), or on sets of them (CEIL), best from an epr encoder."
    )
    signal: Literal["lm", "output-similarity"] = Field(
        "lm",
        description="What ranks an anchor's candidates: a language model, or how alike outputs are.",
    )
    k: int = Field(
        49, ge=1, description="Candidates for each anchor, by BM25; with output similarity, the nearest 200."
    )
    field: Literal["question", "rationale", "both"] = Field(
        "rationale",
        description="The text by which mining compares an anchor and the pool; bm25.stem holds for it too.",
    )
    lm: str | None = Field(None, description="Another model to score the candidates by than lm.name.")
    normalize: bool = Field(False, description="Divide a score by the tokens of the rationale; no ranking changes.")
    t: int = Field(5, ge=1, description="Exemplars at each end of the LM's ranking that positives and negatives are.")
    held_out: float = Field(
        0.2, gt=0, lt=1, description="Share of anchors not trained on: half choose the best step, half are reported."
    )
    seed: int = Field(0, ge=0, le=2**32 - 1, description="Decides split, draws, order of the batches and dropout.")
    epochs: int | None = Field(None, ge=1, description="Passes over the anchors.")
    batch_size: int | None = Field(None, ge=1, description="Anchors in a step, on each device.")
    learning_rate: float | None = Field(None, gt=0, description="Highest learning rate of Adam.")
    warmup: float | None = Field(None, ge=0, le=1, description="Share of the steps in which it rises from 0.")
    dropout: float | None = Field(None, ge=0, lt=1, description="Dropout while training.")
    similarity: Literal["dot", "cosine"] | None = Field(
        None, description="Raw inner products, or cosines: then the encoder ends in a Normalize layer."
    )
    scale: float | None = Field(None, gt=0, description="Similarities times this go into the loss.")
    checks: int | None = Field(
        None, ge=1, description="Times in a run that the held-out anchors are measured and a checkpoint is kept."
    )
    patience: int | None = Field(None, ge=1, description="Stop after this many checks without a new best.")
    subsets: int = Field(10, ge=2, description="Sets of exemplars scored for an anchor (ceil).")
    subset_size: int = Field(4, ge=2, description="Exemplars in such a set (ceil).")


class TaskSettings(Section):
    kind: Literal["auto", "number", "choice", "yes_no", "span", "state"] = Field(
        "auto", description="What an answer is; auto reads it off the pool."
    )
    instruction: str | None = Field(None, description="Replaces the instruction at the head of the prompt.")
    ontology: str | None = Field(
        None, description="Dataset whose slots and values a dialogue's state has; without it the pool's."
    )


class PMISettings(Section):
    beta: float = Field(0.4, gt=0, le=1, description="Weight β of how likely a reply is whatever is asked.")
    floor: float = Field(1e-7, ge=1e-7, le=1e-5, description="Least value that this probability counts with.")
    samples: int = Field(10, ge=2, description="Replies sampled for a question.")
    top_p: float = Field(0.9, gt=0, le=1, description="Nucleus they are sampled from.")
    candidates: int = Field(5, ge=2, description="Likeliest distinct answers that are compared.")


class DeviceSettings(Section):
    name: str = Field("auto", description="auto, cpu, mps, cuda or cuda:N.")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        "auto",
        description="auto is bfloat16 where the hardware computes it, else float32; on some CPUs encoders add int8.",
    )


class CacheSettings(Section):
    path: UserPath = Field(
        Path(platformdirs.user_cache_dir("dqlore", appauthor=False)),
        description="Folder for replies, vectors, indexes and converted models.",
    )
    enabled: bool = Field(True, description="Keep and reuse the replies of repeatable calls.")


class Settings(BaseSettings):
    """All settings; `load_settings` reads them."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
    )

    data: UserPath | None = Field(None, description="Folder with one folder per dataset (also DQLORE_DATA).")
    pool: PoolSettings = PoolSettings()
    index: IndexSettings = IndexSettings()
    encoder: EncoderSettings = EncoderSettings()
    lm: LMSettings = LMSettings()
    first_query: FirstQuerySettings = FirstQuerySettings()
    endpoint: EndpointSettings = EndpointSettings()
    select: SelectSettings = SelectSettings()
    bm25: BM25Settings = BM25Settings()
    rerank: RerankSettings = RerankSettings()
    passages: PassageSettings = PassageSettings()
    sure: SureSettings = SureSettings()
    train: TrainSettings = TrainSettings()
    task: TaskSettings = TaskSettings()
    pmi: PMISettings = PMISettings()
    device: DeviceSettings = DeviceSettings()
    cache: CacheSettings = CacheSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # `init_settings` carries the flags and the files, already told apart by load_settings.
        layers = typing.cast(InitSettingsSource, init_settings).init_kwargs
        flags = InitSettingsSource(settings_cls, layers.get("flags", {}))
        files = [InitSettingsSource(settings_cls, layer) for layer in layers.get("files", [])]
        return (flags, env_settings, *files)


def user_config_file() -> Path:
    """Return where the user's own settings for every folder live."""
    return Path(platformdirs.user_config_dir("dqlore", appauthor=False)) / FILE_NAME


def load_settings(flags: Mapping[str, Any] | None = None, config: Path | None = None) -> Settings:
    """Return the settings; `flags` is nested like the file ({"select": {"m": 16}}), None values are left out.

    Raises UsageError that names key, value, file and the allowed values.
    """
    given = _without_none(flags or {})
    if config is not None and not config.is_file():
        raise UsageError(f"{config}: no such settings file. `dqlore init {config}` writes one.")
    paths = [config or Path(FILE_NAME), user_config_file()]
    layers = {path: read_toml(path) for path in paths if path.is_file()}
    _refuse_unknown_environment()
    try:
        return Settings(flags=given, files=list(layers.values()))  # type: ignore[call-arg]
    except ValidationError as error:
        problems = "\n".join(_explain(problem, given, layers) for problem in error.errors())
        raise UsageError(problems) from None
    except SettingsError as error:
        section = next((name for name in Settings.model_fields if f'"{name}"' in str(error)), "")
        variables = sorted(name for name in os.environ if name.startswith(ENV_PREFIX + section.upper()))
        raise UsageError(
            f"environment {' or '.join(variables)}: a section or a table is a JSON object; for instance "
            f"{ENV_PREFIX}{_first_key(section).replace('.', '__').upper()} sets one key"
        ) from None


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a settings file. Raises UsageError with file and line."""
    try:
        return tomli.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text at byte {error.start}") from None
    except tomli.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    nested = {k: _without_none(v) if isinstance(v, Mapping) else v for k, v in values.items()}
    return {k: v for k, v in nested.items() if v is not None and v != {}}


def _refuse_unknown_environment() -> None:
    for name, value in os.environ.items():
        section, nested, _ = name.removeprefix(ENV_PREFIX).partition("__")
        field = Settings.model_fields.get(section.lower())
        if name.startswith(ENV_PREFIX) and not nested and field and isinstance(field.default, Section):
            if value and not value.lstrip().startswith("{"):
                variable = ENV_PREFIX + _first_key(section.lower()).replace(".", "__").upper()
                raise UsageError(f"environment {name}: {section.lower()} is a section; set for instance {variable}")
        elif name.startswith(ENV_PREFIX) and nested and section.lower() not in Settings.model_fields:
            raise UsageError(
                f"environment {name}: unknown section {section.lower()!r}{_nearest(section.lower(), ())}"
            )


def _nearest(key: str, section: tuple[str, ...]) -> str:
    fields = Settings.model_fields
    if section:
        default = fields[section[0]].default if section[0] in fields else None
        fields = type(default).model_fields if isinstance(default, Section) else {}
    close = difflib.get_close_matches(key, fields, n=1)
    return (f"; did you mean {close[0]!r}?" if close else ".") + f" Known: {', '.join(fields)}."


def _explain(problem: ErrorDetails, flags: Mapping[str, Any], layers: Mapping[Path, Mapping[str, Any]]) -> str:
    """Say which key is wrong, what it holds, where that stands, and what is allowed."""
    location = tuple(str(part) for part in problem["loc"])
    key = ".".join(location)
    origin = _origin(location, flags, layers)
    if problem["type"] == "extra_forbidden":
        return f"{origin}: unknown key {key!r}{_nearest(location[-1], location[:-1])}"
    if problem["type"] == "model_type":
        return f"{origin}: {key} = {problem['input']!r}: {key} is a section, name a key in it: {_first_key(key)}"
    if problem["type"] == "value_error" and location[0] == "endpoint":  # may be a key in the wrong place
        return f"{origin}: {key}: {problem['ctx']['error']}"
    reason = problem["msg"].removeprefix("Value error, ")
    return f"{origin}: {key} = {problem['input']!r}: {reason[0].lower()}{reason[1:]}"


def _first_key(section: str) -> str:
    return f"{section}.{next(iter(type(Settings.model_fields[section].default).model_fields))}"


def _origin(location: tuple[str, ...], flags: Mapping[str, Any], layers: Mapping[Path, Mapping[str, Any]]) -> str:
    def holds(values: object) -> bool:
        for part in location:
            if not isinstance(values, Mapping) or part not in values:
                return False
            values = values[part]
        return True

    if holds(flags):
        return "command line"
    variable = ENV_PREFIX + "__".join(location).upper()
    if any(name.upper() == variable for name in os.environ):
        return f"environment {variable}"
    return next((str(path) for path, layer in layers.items() if holds(layer)), "settings")
