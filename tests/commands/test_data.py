import json
from pathlib import Path


def test_list_names_every_dataset(cli):
    names = {row["name"] for row in cli("data", "list", "--json").json}
    assert {"gsm8k", "svamp", "aqua"} <= names
    assert {line.split("\t")[0] for line in cli("data", "list").out.splitlines()} == names


def test_convert_makes_a_pool_that_select_takes(cli, data):
    made = cli("data", "convert", "svamp", "svamp.jsonl", "--split", "train", "--data", data)
    assert made.code == 0
    assert "664 exemplars" in made.out
    assert len(Path("svamp.jsonl").read_text().splitlines()) == 664
    result = cli("select", "How many apples are left?", "--pool", "svamp.jsonl", "--method", "bm25", "--json")
    assert len(result.json["exemplars"]) == 8


def test_show_prints_exemplars_as_text_and_as_json(cli, data):
    shown = cli("data", "show", "aqua", "--split", "test", "--data", data, "--limit", "2")
    assert shown.out.count("Question:") == 2 and shown.out.count("(E)") == 2
    document = cli("data", "show", "gsm8k", "--data", data, "--json").json
    assert document["rows"] == 7473 and len(document["exemplars"]) == 3
    assert "<<" not in json.dumps(document)


def test_errors_name_both_ways_to_the_data(cli, monkeypatch):
    monkeypatch.delenv("DQLORE_DATA", raising=False)
    result = cli("data", "show", "gsm8k")
    assert result.code == 2
    assert "--data" in result.err and "DQLORE_DATA" in result.err and "datasets" in result.err
    assert cli("data", "show", "gsm9k").code == 2
    assert "gsm8k" in cli("data", "show", "gsm9k").err
    assert cli("data", "convert", "gsm8k", "x.jsonl", "--data", "nowhere").code == 2
    assert not Path("x.jsonl").exists()


def test_a_pool_gets_no_name_that_reads_as_another_format(cli):
    result = cli("data", "convert", "gsm8k", "gsm8k.csv")
    assert result.code == 2
    assert "gsm8k.jsonl" in result.err
    assert not Path("gsm8k.csv").exists()


def test_list_says_that_the_data_folder_is_none(cli):
    result = cli("data", "list", "--data", "nowhere", "--json")
    assert "nowhere is no folder" in result.err
    assert not any(row["here"] for row in result.json)
