"""Tiny encoders with random weights, in the file formats of real ones."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

_TEXT = "how many apples does ann have if bob gives her two more and she eats one of them so left is the answer"
WORDS = _TEXT.split()
DIM, LAYERS, WIDE, PLACES = 16, 2, 32, 40


def write_encoder(
    folder: Path,
    *,
    kind: str = "bert",
    pooling: str | None = "mean",
    normalize: bool = True,
    dense: bool = False,
    limit: int = 20,
    prefix: str = "",
) -> Path:
    """Write an encoder folder and return it; `pooling` None writes a plain transformer folder."""
    folder.mkdir()
    tokenizer = _tokenizer(kind == "roberta")
    tokenizer.save(str(folder / "tokenizer.json"))
    pad = 1 if kind == "roberta" else 0
    size, types = tokenizer.get_vocab_size(), 1 if kind == "roberta" else 2
    weights = _weights(size, types)
    save_file({prefix + key: value for key, value in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    config = {
        "architectures": ["RobertaModel" if kind == "roberta" else "BertModel"],
        "model_type": kind,
        "hidden_size": DIM,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 4,
        "intermediate_size": WIDE,
        "hidden_act": "gelu",
        "max_position_embeddings": PLACES,
        "type_vocab_size": types,
        "vocab_size": size,
        "pad_token_id": pad,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config))
    names = ("<pad>", "<unk>", "<s>", "</s>") if kind == "roberta" else ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
    settings = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), names, strict=True))
    settings |= {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": limit}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    if pooling is not None:
        modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
        if dense:
            modules.append(("2_Dense", "Dense"))
            (folder / "2_Dense").mkdir()
            shape = {"in_features": DIM, "out_features": 8, "bias": True}
            shape["activation_function"] = "torch.nn.modules.activation.Tanh"
            (folder / "2_Dense" / "config.json").write_text(json.dumps(shape))
            random = np.random.default_rng(3)
            layer = {"linear.weight": random.normal(size=(8, DIM)), "linear.bias": random.normal(size=8)}
            save_file({k: v.astype(np.float32) for k, v in layer.items()}, folder / "2_Dense" / "model.safetensors")
        if normalize:
            modules.append(("3_Normalize", "Normalize"))
        listed = [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{module}"}
            for i, (path, module) in enumerate(modules)
        ]
        (folder / "modules.json").write_text(json.dumps(listed))
        (folder / "1_Pooling").mkdir()
        mode = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens"}[pooling]
        pooled = {"word_embedding_dimension": DIM, f"pooling_mode_{mode}": True}
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooled))
        (folder / "sentence_bert_config.json").write_text(
            json.dumps({"max_seq_length": limit, "do_lower_case": False})
        )
    return folder


def _weights(vocabulary: int, types: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)
    sizes = {
        "embeddings.word_embeddings.weight": (vocabulary, DIM),
        "embeddings.position_embeddings.weight": (PLACES, DIM),
        "embeddings.token_type_embeddings.weight": (types, DIM),
    }
    norms = ["embeddings.LayerNorm"]
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        products = {f"attention.self.{part}": (DIM, DIM) for part in ("query", "key", "value")}
        products |= {
            "attention.output.dense": (DIM, DIM),
            "intermediate.dense": (WIDE, DIM),
            "output.dense": (DIM, WIDE),
        }
        for name, size in products.items():
            sizes[f"{layer}.{name}.weight"], sizes[f"{layer}.{name}.bias"] = size, size[:1]
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        sizes[f"{name}.weight"] = sizes[f"{name}.bias"] = (DIM,)
    return {name: random.normal(0, 0.5, size).astype(np.float32) for name, size in sizes.items()}


def _tokenizer(roberta: bool) -> Tokenizer:
    first, last, pad, unknown = ("<s>", "</s>", "<pad>", "<unk>") if roberta else ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
    special = [first, pad, last, unknown] if roberta else [pad, unknown, first, last]
    vocabulary = {word: i for i, word in enumerate([*special, *WORDS, "##s", "##es", "."])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {last} $B {last}",
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    tokenizer.add_special_tokens(special)
    return tokenizer
