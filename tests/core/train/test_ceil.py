from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from dqlore.core.rerank import rerank
from dqlore.core.train.ceil import Ceil, log_probabilities, margin_loss
from dqlore.core.train.fit import fit
from dqlore.core.train.rows import Subsets
from dqlore.core.train.subsets import draw_sets, sample_k_dpp


def embeddings(n: int, d: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.normal(size=d), random.normal(size=(n, d))


def literal_kernel(anchor: np.ndarray, candidates: np.ndarray, lam: float = 0.1) -> np.ndarray:
    unit = candidates / np.linalg.norm(candidates, axis=1, keepdims=True)
    r = np.exp((unit @ anchor / np.linalg.norm(anchor) + 1) / 2 / (2 * lam))
    return np.diag(r) @ ((unit @ unit.T + 1) / 2) @ np.diag(r)


def test_the_probability_of_a_set_by_its_determinants():
    anchor, candidates = embeddings(7)
    kernel = literal_kernel(anchor, candidates)
    sets = list(combinations(range(7), 3))
    wanted = [np.log(np.linalg.det(kernel[np.ix_(s, s)])) - np.log(np.linalg.det(kernel + np.eye(7))) for s in sets]
    found = log_probabilities(torch.tensor(anchor), torch.tensor(candidates), torch.tensor(sets))
    assert np.allclose(found.numpy(), wanted, atol=1e-5)


def test_the_probabilities_of_all_sets_make_one():
    anchor, candidates = embeddings(5)
    total = 0.0
    for size in range(1, 6):
        sets = torch.tensor(list(combinations(range(5), size)))
        total += log_probabilities(torch.tensor(anchor), torch.tensor(candidates), sets).exp().sum().item()
    empty = 1 / np.linalg.det(literal_kernel(anchor, candidates) + np.eye(5))
    assert total + empty == pytest.approx(1)


def test_it_is_the_process_that_the_reranker_picks_by():
    """The likeliest set of one is the re-ranker's first pick; its second makes the likeliest set of two with it."""
    anchor, candidates = embeddings(9, seed=3)
    first, second = rerank("dpp", anchor, candidates).order[:2]
    tensors = torch.tensor(anchor), torch.tensor(candidates)
    assert int(log_probabilities(*tensors, torch.arange(9)[:, None]).argmax()) == first
    pairs = torch.tensor([[first, i] for i in range(9) if i != first])
    assert int(pairs[log_probabilities(*tensors, pairs).argmax()][1]) == second


def test_the_margin_grows_with_the_distance_in_rank():
    values = torch.tensor([0.0, -0.05, -5.0, 1.0])
    pairs = [max(0.0, float(values[j] - values[i]) + 0.1 * (j - i)) for i, j in combinations(range(4), 2)]
    assert float(margin_loss(values, 0.1)) == pytest.approx(np.mean(pairs))
    assert float(margin_loss(torch.tensor([3.0, 2.0, 1.0]), 0.1)) == 0


def test_candidates_with_one_vector_give_a_finite_gradient():
    anchor, candidates = (torch.tensor(part) for part in embeddings(4))
    candidates[1] = candidates[0]
    candidates.requires_grad_()
    loss = margin_loss(log_probabilities(anchor, candidates, torch.tensor([[0, 1], [2, 3], [0, 2]])))
    assert torch.isfinite(loss)
    assert torch.isfinite(torch.autograd.grad(loss, candidates)[0]).all()


def test_a_k_dpp_draws_sets_by_their_determinants():
    anchor, candidates = embeddings(5, seed=1)
    kernel = literal_kernel(anchor, candidates, lam=0.5)
    sets = list(combinations(range(5), 2))
    chances = np.array([np.linalg.det(kernel[np.ix_(s, s)]) for s in sets])
    chances /= chances.sum()
    random = np.random.default_rng(0)
    drawn = [tuple(sorted(sample_k_dpp(kernel, 2, random))) for _ in range(4_000)]
    shares = np.array([drawn.count(s) for s in sets]) / len(drawn)
    assert np.abs(shares - chances).max() < 0.03
    assert sorted(sample_k_dpp(kernel, 5, random)) == [0, 1, 2, 3, 4]


def test_sets_begin_with_the_most_relevant_and_repeat_with_the_seed():
    anchor, candidates = embeddings(12)
    cosines = candidates @ anchor / np.linalg.norm(candidates, axis=1)
    order = np.argsort(-cosines)
    sets = draw_sets(anchor, candidates, 3, 8, [0, 1])
    assert sets[0] == tuple(order[:3])
    assert len(set(map(frozenset, sets))) == len(sets) == 8
    for each in sets:
        assert sorted(each, key=lambda i: -cosines[i]) == list(each)
    assert sets == draw_sets(anchor, candidates, 3, 8, [0, 1]) != draw_sets(anchor, candidates, 3, 8, [0, 2])
    assert len(draw_sets(anchor, candidates[:3], 2, 50, [0])) == 3  # there are no more


class Taught(torch.nn.Module):
    """Embeds a text as a row of a table."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.table = torch.nn.Embedding(rows, 6)

    def forward(self, features):
        return {"sentence_embedding": self.table(features["input_ids"][:, 0])}


def test_training_makes_the_better_set_the_likelier_one():
    texts_of = SimpleNamespace(anchor={"a": "0"}, exemplar={str(i): str(i) for i in range(1, 7)})
    row = Subsets("a", tuple(texts_of.exemplar), ((0, 1), (2, 3), (4, 5)), (-9.0, -1.0, -5.0))
    model = Taught(7)
    objective = Ceil(model, [row], texts_of, at_a_time=4)
    texts, labels = objective.batch([0], epoch=0)
    ids = torch.tensor([[int(text)] for text in texts])
    features = [{"input_ids": ids, "attention_mask": torch.ones_like(ids)}]
    optimizer = torch.optim.Adam(model.parameters(), 0.05)
    first = objective.loss(features, labels).item()
    for _ in range(100):
        optimizer.zero_grad()
        loss = objective.loss(features, labels)
        loss.backward()
        optimizer.step()
    vectors = model.table.weight.detach()
    worst, best, middle = log_probabilities(vectors[0], vectors[1:], torch.tensor(row.sets)).tolist()
    assert loss.item() < first
    assert best > middle > worst


def test_fit_with_sets_of_different_numbers(pool, recipe, tmp_path):
    random = np.random.default_rng(0)
    ids = [exemplar.id for exemplar in pool]
    rows = []
    for i, name in enumerate(ids[:12]):
        sets = tuple(tuple(random.permutation(6)[:2].tolist()) for _ in range(3 + i % 2))
        others = tuple(other for other in ids if other != name)[:6]
        rows.append(Subsets(name, others, sets, tuple(random.normal(size=len(sets)).tolist())))
    fitted = fit(
        pool, rows, tmp_path, recipe(objective="ceil", epochs=2, similarity="cosine"), device="cpu", dtype="float32"
    )
    assert (tmp_path / "encoder" / "modules.json").is_file()
    assert all(np.isfinite(loss) for _, loss in fitted.losses)
    assert fitted.metrics["mrr"].before > 0
