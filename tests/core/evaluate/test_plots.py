import numpy as np
import pytest

from dqlore.core.errors import UsageError
from dqlore.core.evaluate.folder import find_runs, read_summary
from dqlore.core.evaluate.plots import image, plot_lore, plot_runs, plot_stages, save
from dqlore.core.evaluate.run import Plan
from dqlore.core.rerank import rerank
from evaluations import questions, run
from toys import ScriptedLM


@pytest.fixture
def summaries(tmp_path):
    right = ScriptedLM(lambda p: f"The answer is {7 if int(p.question.split()[2]) % 2 else 8}.")
    run(tmp_path, right, out="runs/a")
    run(tmp_path, method="random", out="runs/$b^$")
    return [read_summary(path) for path in find_runs([tmp_path / "runs"])]


def test_bars_show_the_accuracy_and_its_interval(summaries):
    [axes] = plot_runs(summaries).axes
    assert sorted(patch.get_height() for patch in axes.patches) == [0.5, 1.0]
    assert [label.get_text() for label in axes.get_xticklabels()] == [s["method"] for s in summaries]
    assert axes.get_ylim() == (0, 1)


def test_stages_add_up_to_the_total(summaries):
    [axes] = plot_stages(summaries).axes
    tops = [0.0, 0.0]
    for i, patch in enumerate(axes.patches):
        assert patch.get_y() == pytest.approx(tops[i % 2])
        tops[i % 2] += patch.get_height()
    assert tops == pytest.approx([s["timings"]["total"] for s in summaries])


@pytest.mark.parametrize("name", ["pca", "mmr"])
def test_a_map_marks_the_best_and_the_worst(name):
    draw = np.random.default_rng(0)
    vectors, query = draw.normal(size=(20, 8)), draw.normal(size=8)
    figure = plot_lore(query, vectors, rerank(name, query, vectors), 3, name)
    sizes = [[len(points.get_offsets()) for points in axes.collections] for axes in figure.axes]
    assert sizes == [[14, 3, 3, 1], [14, 3, 3, 1]]


def test_too_few_candidates_make_no_map():
    vectors = np.eye(3)
    with pytest.raises(UsageError, match="at least four"):
        plot_lore(vectors[0], vectors, rerank("none", vectors[0], vectors), 1, "none")


@pytest.mark.parametrize(("name", "start"), [("x.png", b"\x89PNG"), ("x.SVG", b"<?xml")])
def test_pictures_are_written_and_repeat(tmp_path, summaries, name, start):
    save(plot_runs(summaries), tmp_path / name)
    written = (tmp_path / name).read_bytes()
    assert written.startswith(start)
    assert image(plot_runs(summaries), name[2:].lower()) == written


def test_other_formats_and_mixed_metrics_are_refused(tmp_path, summaries):
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        save(plot_runs(summaries), tmp_path / "x.pdf")
    run(tmp_path, out="runs/nll", plan=Plan(metric="nll"), asked=questions(3))
    with pytest.raises(UsageError, match="plot them apart"):
        plot_runs([*summaries, read_summary(tmp_path / "runs" / "nll")])
    with pytest.raises(UsageError, match="holds none"):
        find_runs([tmp_path / "nothing"])
