import pytest

from dqlore.core import load_settings
from dqlore.core.errors import UsageError
from dqlore.core.methods import METHODS
from dqlore.core.rerank import RERANKERS
from dqlore.tui import setup
from dqlore.tui.setup import LADDERS, Setup


def test_the_controls_know_every_reranker():
    assert list(setup.RERANKERS) == list(RERANKERS)
    for name, shown in setup.RERANKERS.items():
        settings = RERANKERS[name].settings
        assert shown == {key: settings[key].default for key in settings if key in setup.PARAMS}


def test_an_unknown_reranker_is_refused_with_the_names():
    with pytest.raises(UsageError, match="kernel-pca"):
        Setup.of(load_settings({"rerank": {"name": "nothing"}}))


def test_the_pool_wide_fit_of_the_settings_is_kept():
    settings = load_settings({"rerank": {"fit": "pool", "dim": 8}})
    again = Setup.of(settings).stepped("dim", 1).applied_to(settings)
    assert (again.rerank.fit, again.rerank.dim) == ("pool", 16)


def test_a_setup_is_read_from_the_settings_and_goes_back_into_them():
    settings = load_settings({"select": {"method": "mmr", "m": 20, "n": 3}, "rerank": {"alpha": 0.7}})
    chosen = Setup.of(settings)
    assert (chosen.method, chosen.reranker, chosen.m, chosen.n, chosen.value("alpha")) == ("mmr", "mmr", 20, 3, 0.7)
    again = Setup.of(chosen.stepped("n", 1).applied_to(settings))
    assert (again.method, again.n, again.value("alpha")) == ("mmr", 4, 0.7)


def test_only_what_the_reranker_takes_reaches_the_settings():
    chosen = Setup(reranker="mmr", params={"dim": 4, "alpha": 0.2})
    rerank = chosen.applied_to(load_settings({})).rerank
    assert (rerank.name, rerank.dim, rerank.alpha) == ("mmr", None, 0.2)


@pytest.mark.parametrize("name", LADDERS)
def test_steps_stay_on_the_ladder_and_come_back(name):
    takers = {"dim": "pca", "sigma": "gaussian", "alpha": "mmr", "lam": "dpp"}
    chosen = Setup(reranker=takers.get(name, "pca"))
    for _ in range(60):
        chosen = chosen.stepped(name, -1)
    assert chosen.value(name) == LADDERS[name][0]
    up = chosen.stepped(name, 1)
    assert up.value(name) == LADDERS[name][1]
    assert up.stepped(name, -1).value(name) == chosen.value(name)


def test_all_directions_stand_above_the_largest_number_of_them():
    chosen = Setup(reranker="pca")
    assert chosen.shown("dim") == "all"
    assert chosen.stepped("dim", 1).shown("dim") == "all"
    assert chosen.stepped("dim", -1).shown("dim") == "512"
    assert chosen.stepped("dim", -1).stepped("dim", 1).shown("dim") == "all"


def test_ica_starts_at_its_own_default():
    assert Setup(reranker="ica").stepped("dim", -1).value("dim") == 8


@pytest.mark.parametrize("method", METHODS)
def test_a_method_brings_its_own_reranker(method):
    chosen = Setup(reranker="ica").with_method(method)
    assert chosen.reranker == METHODS[method].reranker
    assert chosen.takes("m") == (METHODS[method].retriever is not None)
