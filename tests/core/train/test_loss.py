import numpy as np
import pytest
import torch

from dqlore.core.train.loss import contrastive_loss, embed_by_length


def batch(b: int, seed: int = 0, d: int = 8) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3 * b, d))


def literal(vectors: np.ndarray, scale: float = 1.0, texts: list[int] | None = None) -> float:
    """Eq. 2, term by term; without the terms of a text that the anchor or its positive has."""
    b = len(vectors) // 3
    texts = list(range(3 * b)) if texts is None else texts
    losses = []
    for i in range(b):
        others = [j for j in range(b, 3 * b) if j == b + i or texts[j] not in (texts[i], texts[b + i])]
        above = np.exp(scale * vectors[i] @ vectors[b + i])
        losses.append(-np.log(above / sum(np.exp(scale * vectors[i] @ vectors[j]) for j in others)))
    return float(np.mean(losses))


@pytest.mark.parametrize("b", [1, 2, 16])
@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_the_loss_is_equation_2(b, scale):
    vectors = batch(b, seed=b)
    found = contrastive_loss(torch.tensor(vectors), torch.arange(3 * b), scale=scale)
    assert float(found) == pytest.approx(literal(vectors, scale), abs=1e-5)


def test_cosine_is_the_same_on_unit_vectors():
    vectors = batch(6)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    found = contrastive_loss(torch.tensor(vectors), torch.arange(18), scale=20.0, similarity="cosine")
    assert float(found) == pytest.approx(literal(unit, 20.0), abs=1e-5)


def test_it_is_the_librarys_ranking_loss_with_inner_products_and_scale_1():
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from sentence_transformers.util import dot_score

    vectors = torch.tensor(batch(16))
    library = MultipleNegativesRankingLoss(torch.nn.Identity(), scale=1.0, similarity_fct=dot_score)
    theirs = library.compute_loss_from_embeddings(list(vectors.chunk(3)), None)
    assert float(contrastive_loss(vectors, torch.arange(48))) == pytest.approx(float(theirs), abs=1e-9)


def test_unit_vectors_with_scale_1_cannot_learn_much():
    """The best that 16 triplets can reach is every positive at cosine 1 and all else at -1."""
    anchors = torch.zeros(16, 32)
    anchors[torch.arange(16), torch.arange(16)] = 1
    lowest = -np.log(np.e / (np.e + 31 * np.exp(-1)))
    assert lowest == pytest.approx(1.65, abs=0.01)
    assert float(contrastive_loss(torch.cat([anchors, anchors, -anchors]), torch.arange(48))) > lowest


def test_a_positive_that_others_share_is_not_punished():
    """Six anchors, three of which have word for word the same positive."""
    vectors, texts = batch(6), list(range(18))
    for copy in (7, 8):
        vectors[copy], texts[copy] = vectors[6], texts[6]
    found = float(contrastive_loss(torch.tensor(vectors), torch.tensor(texts)))
    assert found == pytest.approx(literal(vectors, texts=texts), abs=1e-9)
    assert found < float(contrastive_loss(torch.tensor(vectors), torch.arange(18)))


def test_no_gradient_separates_identical_texts():
    """An exemplar with the text of the anchor, or of its positive, gets no push from that anchor."""
    vectors = torch.tensor(batch(2), requires_grad=True)
    texts = torch.tensor([0, 1, 2, 2, 3, 0])  # positive of 1 is that of 0; negative of 1 is anchor 0 itself
    scores = vectors[:1] @ vectors[2:].T
    expected = -torch.log(torch.exp(scores[0, 0]) / (torch.exp(scores[0, 0]) + torch.exp(scores[0, 2])))
    second = vectors[1:2] @ vectors[2:].T
    kept = [1, 2, 3]
    expected = (expected - torch.log_softmax(second[0, kept], 0)[0]) / 2
    found = contrastive_loss(vectors, texts)
    assert found.item() == pytest.approx(expected.item(), abs=1e-9)
    ours, theirs = torch.autograd.grad(found, vectors)[0], torch.autograd.grad(expected, vectors)[0]
    assert torch.allclose(ours, theirs)


class Summing(torch.nn.Module):
    """Embeds a text as the sum of its tokens and their places, and remembers the widths it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.widths: list[int] = []

    def forward(self, features):
        mask = features["attention_mask"]
        self.widths.append(mask.shape[1])
        assert features["prompt_length"] == 0
        return {"sentence_embedding": (features["input_ids"] * mask).sum(1, keepdim=True).float()}


@pytest.mark.parametrize("side", ["left", "right"])
def test_texts_of_like_length_go_together_and_keep_their_places(side):
    lengths = [3, 9, 1, 5, 9, 2]
    ids, mask = torch.zeros(6, 9, dtype=torch.long), torch.zeros(6, 9, dtype=torch.long)
    for row, length in enumerate(lengths):
        span = slice(9 - length, 9) if side == "left" else slice(0, length)
        ids[row, span] = row + 1
        mask[row, span] = 1
    model = Summing()
    vectors = embed_by_length(model, {"input_ids": ids, "attention_mask": mask, "prompt_length": 0}, 2)
    assert vectors[:, 0].tolist() == [(row + 1) * length for row, length in enumerate(lengths)]
    assert model.widths == [9, 5, 2]
