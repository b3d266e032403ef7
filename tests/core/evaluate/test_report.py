import re
from html.parser import HTMLParser

from dqlore.core import Exemplar, Pool
from dqlore.core.errors import LMError
from dqlore.core.evaluate.questions import Questions
from dqlore.core.evaluate.report import write_report
from evaluations import questions, run
from toys import ScriptedLM

EVIL = "<script>alert('x')</script><img src=http://evil.example/x onerror=\"y\"> \x1b[31m & more"


class Page(HTMLParser):
    """Collects what a browser would load or run."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.loaded, self.handlers, self.text = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.loaded += [value for name, value in attributes if name in ("src", "href")]
        self.handlers += [name for name, _ in attributes if name.startswith("on")]

    def handle_data(self, data):
        self.text += data


def test_texts_of_data_and_models_stay_texts(tmp_path):
    rows = tuple(Exemplar(f"{i}{EVIL}", f"{EVIL} {i}?", "", "7") for i in range(3))
    asked = Questions("toy", "test", "number", Pool(rows, "evil"))
    lm = ScriptedLM(lambda p: LMError(EVIL) if p.question.endswith("2?") else f"{EVIL}\nThe answer is 7.")
    run(tmp_path, lm, asked=asked, out="a")
    write_report([tmp_path / "a"], tmp_path / "r.html")
    written = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page(written)
    assert page.tags.count("script") == 1 and page.handlers == []
    assert all(source.startswith("data:") for source in page.loaded)
    assert "\x1b" not in written and "alert('x')" in page.text


def test_the_page_holds_tables_pictures_comparisons_and_every_record(tmp_path):
    run(tmp_path, out="a")
    run(tmp_path, ScriptedLM(lambda _: "The answer is 8."), method="random", out="b")
    write_report([tmp_path / "a", tmp_path / "b"], tmp_path / "r.html")
    written = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page(written)
    assert page.tags.count("img") == 2 and page.tags.count("table") == 2
    assert len(re.findall(r'class="record" data-status="(?:right|wrong)"', written)) == 40
    assert "1.0000" in page.text and "1.91e-06" in page.text
    assert not re.search(r"https?://", re.sub(r"data:[^\"]*", "", written).replace("https://api.openai.com/v1", ""))


def test_runs_on_other_questions_are_not_compared(tmp_path):
    run(tmp_path, out="a", asked=questions(4))
    other = Questions("other", "test", "number", Pool((Exemplar("z", "z?", "", "7"),), "z"))
    run(tmp_path, out="b", asked=other)
    write_report([tmp_path / "a", tmp_path / "b"], tmp_path / "r.html")
    assert Page((tmp_path / "r.html").read_text(encoding="utf-8")).tags.count("table") == 1
