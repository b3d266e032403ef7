import codecs
import io
import json
import os
import time

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dqlore.core.errors import UsageError
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.pool_io import load_pool, save_pool
from dqlore.core.rows import read_jsonl

CRATE = {"question": "A crate holds 12 jars. How many jars fill 4 crates?", "answer": "48"}
TWO = {"question": "2+2?", "answer": "4"}


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def jsonl(write):
    return lambda *rows, name="pool.jsonl": write(name, "".join(json.dumps(row) + "\n" for row in rows))


def refusal(path, **settings):
    with pytest.raises(UsageError) as caught:
        load_pool(path, **settings)
    message = str(caught.value)
    assert str(path) in message
    return message


# What comes back


def test_a_saved_pool_comes_back_equal(tmp_path):
    meta = {"level": 2.5, "tags": ["a", {"b": None}], "ok": True, "note": "\u2028"}
    pool = Pool(
        (
            Exemplar("x1", "one\u2028two\u0085three\x0cfour\r\nfive 🍎👩‍👩‍👧", "because\n\tso", "4", meta=meta),
            Exemplar("x2", "Which?", "", "B", options=("1, 2", 'a "b"|c')),
        )
    )
    save_pool(pool, tmp_path / "out" / "pool.jsonl")
    loaded = load_pool(tmp_path / "out" / "pool.jsonl").pool
    assert loaded == pool
    assert [dict(e.meta) for e in loaded] == [meta, {}]
    lines = (tmp_path / "out" / "pool.jsonl").read_text(encoding="utf-8").splitlines()
    assert [list(json.loads(line)) for line in lines] == [
        ["id", "question", "rationale", "answer", "meta"],
        ["id", "question", "rationale", "answer", "options"],
    ]


TEXT = st.text(st.characters(exclude_categories=("Cs",)))
WORD = TEXT.map(lambda text: f"w{text}")
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(WORD, TEXT, TEXT, st.dictionaries(TEXT, JSON_VALUE, max_size=3)), min_size=1, max_size=4))
def test_any_text_and_meta_survive_a_save(tmp_path, rows):
    pool = Pool(tuple(Exemplar(f"e{i}", q, r, a, meta=meta) for i, (q, r, a, meta) in enumerate(rows)))
    save_pool(pool, tmp_path / "p.jsonl")
    loaded = load_pool(tmp_path / "p.jsonl").pool
    assert loaded == pool
    assert [dict(e.meta) for e in loaded] == [meta for *_, meta in rows]


def test_scalars_become_text(jsonl):
    path = jsonl(
        {"id": 7, "question": "Is 7 prime?", "answer": True, "level": 2.5},
        {"id": 8.0, "question": 8, "answer": False, "rationale": None},
        {"id": "c", "question": "half?", "answer": 2.5},
        {"id": "d", "question": "two?", "answer": 2.0},
    )
    pool = load_pool(path).pool
    assert [(e.id, e.answer) for e in pool] == [("7", "yes"), ("8", "no"), ("c", "2.5"), ("d", "2")]
    assert pool[1].question == "8" and pool[1].rationale == ""
    assert dict(pool[0].meta) == {"level": 2.5}


def test_without_ids_the_physical_line_is_the_id(write):
    path = write("p.jsonl", f"\n{json.dumps(CRATE)}\n   \n{json.dumps(TWO)}")
    assert [e.id for e in load_pool(path).pool] == ["2", "4"]


def test_unknown_fields_and_the_meta_object_are_kept(jsonl):
    path = jsonl({**TWO, "source": "book", "meta": {"page": 3}})
    assert dict(load_pool(path).pool[0].meta) == {"page": 3, "source": "book"}


def test_fields_can_be_mapped(jsonl):
    path = jsonl({"prompt": "2+2?", "label": 4, "cot": "two and two", "question": "other"})
    exemplar = load_pool(path, mapping={"question": "prompt", "answer": "label", "rationale": "cot"}).pool[0]
    assert (exemplar.question, exemplar.answer, exemplar.rationale) == ("2+2?", "4", "two and two")
    assert dict(exemplar.meta) == {"question": "other"}


def test_options_are_split_and_the_answer_becomes_a_letter(jsonl):
    lettered = ["A)15%", "B) 24%", "C)31%", "(D)44%", "E)50%"]
    path = jsonl(
        {"question": "as a list?", "answer": "B", "options": lettered},
        {"question": "as one text?", "answer": "24%", "options": " ".join(lettered)},
        {"question": "none of them?", "answer": "99%", "options": lettered},
    )
    loaded = load_pool(path)
    assert {e.options for e in loaded.pool} == {("15%", "24%", "31%", "44%", "50%")}
    assert [e.answer for e in loaded.pool] == ["B", "B", "99%"]
    assert any("names none of their options" in warning for warning in loaded.warnings)


@pytest.mark.parametrize(("answers", "letters"), [((0, 2), "AC"), ((1, 3), "AC"), ((1, 2), "12")])
def test_an_option_number_becomes_a_letter_where_the_file_decides_the_base(jsonl, answers, letters):
    rows = [{"question": f"q{a}", "answer": a, "options": ["red", "green", "blue"]} for a in answers]
    assert [e.answer for e in load_pool(jsonl(*rows)).pool] == list(letters)


def test_oddities_are_warned_about(jsonl):
    rows = [{"question": " 2+2? ", "answer": "4"}, {"question": "2+2?", "answer": ""}, {**CRATE, "rationale": "12*4"}]
    warnings = load_pool(jsonl(*rows)).warnings
    assert [warning.split()[0] for warning in warnings] == ["1", "2", "1"]
    assert [phrase in w for phrase, w in zip(("repeat", "no rationale", "empty answer"), warnings, strict=True)] == [
        True
    ] * 3


# Formats


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["plain", "with a byte-order mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_marks_and_line_ends_do_not_matter(write, mark, end):
    rows = [json.dumps(TWO), "", json.dumps(CRATE), "   "]
    csv_rows = ["question,answer", "2+2?,4", "", '"A crate holds 12 jars. How many jars fill 4 crates?",48', "  "]
    for name, lines in (("p.jsonl", rows), ("p.csv", csv_rows)):
        pool = load_pool(write(name, mark + end.join(lines).encode())).pool
        assert [(e.question, e.answer) for e in pool] == [(r["question"], r["answer"]) for r in (TWO, CRATE)]


def test_utf16_with_a_mark_is_decoded(write):
    for name, text in (("p.jsonl", json.dumps(TWO)), ("p.csv", "question,answer\r\n2+2?,4\r\n")):
        assert load_pool(write(name, text.encode("utf-16"))).pool[0].question == "2+2?"


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_only_a_newline_ends_a_line(write, character):
    question = f"one{character}two?"
    row = json.dumps({"question": "Q", "answer": "4"}, ensure_ascii=False)
    raw = row.replace("Q", question) if character > "\x1f" else row.replace("Q", json.dumps(question)[1:-1])
    assert [e.question for e in load_pool(write("p.jsonl", raw)).pool] == [question]
    assert [e.question for e in load_pool(write("p.csv", f"question,answer\n{question},4\n")).pool] == [question]


def test_a_json_list_is_read_too(write):
    path = write("p.json", json.dumps([TWO, CRATE], indent=1))
    assert [e.id for e in load_pool(path).pool] == ["1", "2"]


def test_csv_cells(write):
    text = 'id,question,answer,options,meta,level\nx,"a\r\n""b"", c?",B,"[""1"", ""2""]","{""k"": 1}",\n'
    exemplar = load_pool(write("p.csv", text)).pool[0]
    assert exemplar.question == 'a\n"b", c?'
    assert (exemplar.options, exemplar.answer) == (("1", "2"), "B")
    assert dict(exemplar.meta) == {"k": 1, "level": None}


@pytest.mark.parametrize(("name", "mark"), [("p.csv", ";"), ("p.csv", "\t"), ("p.tsv", "\t")])
def test_csv_with_other_separators(write, name, mark):
    assert load_pool(write(name, f"question{mark}answer\n1, 2 and?{mark}3\n")).pool[0].answer == "3"


def test_a_very_large_csv_cell(write):
    question = "long " * 100_000
    assert load_pool(write("p.csv", f'question,answer\n"{question}",1\n')).pool[0].question == question


def test_parquet(tmp_path):
    path = tmp_path / "p.parquet"
    rows = [{**TWO, "n": 1.0, "options": None}, {**CRATE, "n": float("nan"), "options": ["47", "48"]}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    pool = load_pool(path).pool
    assert [(e.id, e.answer) for e in pool] == [("1", "4"), ("2", "B")]
    assert [dict(e.meta) for e in pool] == [{"n": 1.0}, {"n": None}]
    save_pool(pool, tmp_path / "p.jsonl")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([TWO, {**TWO, "answer": None}]), path)
    assert "row 2" in refusal(path)
    path.write_bytes(path.read_bytes()[:-20])
    assert "not a readable Parquet file" in refusal(path)


# What is refused, and what the message says


def test_a_broken_row_is_named_and_can_be_skipped(write):
    rows = [json.dumps({**TWO, "id": i}) for i in range(5)]
    rows[2] = rows[2][:20]
    path = write("p.jsonl", "\n".join(rows))
    message = refusal(path)
    assert "line 3, column" in message
    loaded = load_pool(path, skip_bad=True)
    assert ([e.id for e in loaded.pool], loaded.skipped) == (["0", "1", "3", "4"], 1)
    assert "line 3" in loaded.warnings[0]


def test_wrong_field_names_get_the_cure(jsonl):
    message = refusal(jsonl({"prompt": "2+2?", "label": "4"}))
    for part in ("line 1", "prompt, label", "question, answer", "--map question=prompt", "--map answer=label"):
        assert part in message
    assert "\n" not in message


def test_a_mapping_to_nothing_is_refused(jsonl):
    path = jsonl(TWO)
    message = refusal(path, mapping={"rationale": "cot"})
    assert "'cot'" in message and "question, answer" in message
    with pytest.raises(UsageError, match="no field 'qestion'"):
        load_pool(path, mapping={"qestion": "question"})


@pytest.mark.parametrize("ids", [(1, "1"), ("1", " 1 "), (1, 1.0), ("a", "a")])
def test_equal_ids_are_refused_with_both_lines(jsonl, ids):
    message = refusal(jsonl({**CRATE, "id": ids[0]}, {**TWO, "id": "other"}, {**TWO, "id": ids[1]}))
    assert "line 1" in message and "line 3" in message and f"'{str(ids[0]).strip()}'" in message


def test_ids_in_some_rows_only_are_refused(jsonl):
    assert "line 2: no id" in refusal(jsonl({**CRATE, "id": "a"}, TWO))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": "  ", "answer": "4"}, "'question' is empty"),
        ({"question": None, "answer": "4"}, "'question' is empty"),
        ({"question": "2+2?", "answer": None}, "'answer' is empty"),
        ({"question": ["2+2?"], "answer": "4"}, "'question' is a list"),
        ({"question": "2+2?", "answer": {"a": 4}}, "'answer' is an object"),
        ({**TWO, "options": [["a"], "b"]}, "'options' holds a list"),
        ({**TWO, "options": "fifteen"}, "'options'"),
        ({**TWO, "options": {"A": 1}}, "'options' is neither"),
        ({**TWO, "options": ["a", None]}, "empty option"),
        ({**TWO, "meta": [1]}, "'meta' is not an object"),
        ({**TWO, "meta": {"k": 1}, "k": 2}, "'k' stands both"),
    ],
)
def test_a_bad_field_is_refused_by_line_and_name(jsonl, row, said):
    message = refusal(jsonl(CRATE, row))
    assert "line 2" in message and said in message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("17", "where an object"),
        ('"text"', "where an object"),
        ('{"question": "q", "answer": NaN}', "NaN is not a number"),
        ('{"question": "q", "answer": -Infinity}', "-Infinity"),
        ('{"question": "q", "answer": 1e999}', "1e999"),
        ('{"question": "q", "answer": 1, "answer": 2}', "'answer' stands twice"),
        ('{"question": "q \\ud83d", "answer": 1}', "\\ud83d is half a character"),
        ('{"question": "q", "answer": ' + "9" * 5000 + "}", "too many digits"),
        ('{"question": "q", "answer": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        (b'{"question": "\xff", "answer": 1}', "byte 15 (0xff) is not UTF-8"),
    ],
)
def test_json_that_would_change_or_crash_is_refused(write, line, said):
    raw = line if isinstance(line, bytes) else line.encode()
    path = write("p.jsonl", json.dumps(TWO).encode() + b"\n" + raw + b"\n")
    message = refusal(path)
    assert "line 2" in message and said in message
    assert load_pool(path, skip_bad=True).skipped == 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.jsonl", "", "empty (0 bytes)"),
        ("p.csv", "", "empty (0 bytes)"),
        ("p.parquet", "", "empty (0 bytes)"),
        ("p.jsonl", "\n  \n", "no rows"),
        ("p.json", "[]", "no rows"),
        ("p.csv", "question,answer\n", "only a header"),
        ("p.csv", "question,answer,answer\n1,2,3\n", "two columns are called 'answer'"),
        ("p.csv", 'question,answer\n2+2?,4\n\n"a\nb",1\nc,"2', "line 6: not valid CSV"),
        ("p.csv", 'question,answer\n"a\n\nb",1\n1,000 men?,2', "line 5: 3 fields where the header has 2"),
        ("p.csv", 'question,answer\n"a\nb",1\nc,\n', "line 4: the field 'answer' is empty"),
        ("p.csv", b"question,answer\ncaf\xe9?,1\n", "line 2: byte 4 (0xe9) is not UTF-8"),
        ("p.csv", codecs.BOM_UTF8 + b"question,r\xe9ponse\n1,2\n", "(0xe9) is not UTF-8"),
        ("p.jsonl", '["a"]', "where an object"),
        ("p.json", '[{"question": "q",\n "answer" 1}]', "line 2, column 11"),
        ("p.txt", "2+2?", "'.txt'"),
        ("p.parquet", "PAR1 not really", "not a readable Parquet file"),
        (
            "p.jsonl",
            "".join(json.dumps({"question": q, "answer": "1"}) + "\n" for q in ("", "???", "   ")),
            "no usable text",
        ),
    ],
)
def test_a_bad_file_is_refused(write, name, content, said):
    assert said in refusal(write(name, content))


SCRAPS = st.sampled_from(
    [json.dumps(TWO), '{"', "}", "[", "]", ",", ":", '"', "\n", "\r", "\x00", "\ud83d", "1e999", "question,answer"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["p.jsonl", "p.json", "p.csv", "p.tsv"]),
    st.binary() | st.lists(SCRAPS).map("".join),
    st.booleans(),
)
def test_any_bytes_are_loaded_or_refused(write, name, content, skip_bad):
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    try:
        assert len(load_pool(write(name, raw), skip_bad=skip_bad).pool) > 0
    except UsageError as error:
        assert name in str(error)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50, derandomize=True
)
@given(st.data())
def test_any_damage_to_a_parquet_file_is_loaded_or_refused(tmp_path, data):
    path = tmp_path / "p.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([TWO, CRATE]), path)
    raw = bytearray(path.read_bytes())
    for position in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=8)):
        raw[position] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    try:
        load_pool(path)
    except UsageError as error:
        assert "p.parquet" in str(error)


def test_paths_that_are_no_file(tmp_path):
    assert "is a folder" in refusal(tmp_path)
    assert "there is no file" in refusal(tmp_path / "pool[old].jsonl")
    assert "cannot be read" in refusal(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads every file")
def test_a_file_without_permission(jsonl):
    path = jsonl(TWO)
    path.chmod(0)
    assert "cannot be read: Permission denied" in refusal(path)


def test_nothing_left_after_skipping(jsonl):
    assert "line 1" in refusal(jsonl({"question": ["x"], "answer": 1}), skip_bad=True)


def test_what_json_cannot_hold_is_not_saved(tmp_path):
    for meta in ({"x": float("nan")}, {"x": {1}}, {"x": "\ud83d"}):
        with pytest.raises(UsageError, match="'e1' cannot be written"):
            save_pool(Pool((Exemplar("e1", "q", "", "a", meta=meta),)), tmp_path / "p.jsonl")
    assert not (tmp_path / "p.jsonl").exists()


# Rows for other readers


def test_read_jsonl_from_a_stream():
    text = '\n{"a": 1}\r\n\u2028\n{"a": "\u2028"}'
    assert list(read_jsonl(io.StringIO(text))) == [(2, {"a": 1}), (4, {"a": "\u2028"})]
    assert list(read_jsonl(io.BytesIO(text.encode()))) == [(2, {"a": 1}), (4, {"a": "\u2028"})]
    with pytest.raises(UsageError, match="input, line 1, column 7"):
        list(read_jsonl(io.StringIO('{"a": ')))


def test_read_jsonl_yields_each_line_as_it_comes():
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as reader, open(write_end, "wb", buffering=0) as writer:
        writer.write(b'{"a": 1}\n')
        assert next(read_jsonl(reader)) == (1, {"a": 1})


# Real files


def test_gsm8k_loads_fast(data):
    path = data / "gsm8k" / "train.jsonl"
    seconds = []
    for _ in range(3):
        start = time.process_time()
        loaded = load_pool(path)
        seconds.append(time.process_time() - start)
    assert len(loaded.pool) == 7473
    assert min(seconds) < 0.5


def test_aqua_options(data):
    loaded = load_pool(data / "aqua" / "test.json", mapping={"answer": "correct"})
    assert all(len(e.options) == 5 and e.answer in "ABCDE" for e in loaded.pool)
    assert not any("options" in warning for warning in loaded.warnings)
