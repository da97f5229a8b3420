"""The command over a release behind nginx and a server."""

import csv
import io
import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from share_scores import Client, Release
from share_scores.command import guarded, main, safe

FILES = os.environ["SHARE_FILES"]


def test_exports_the_same_rows_as_parquet_and_csv(tmp_path: Path) -> None:
    for name in ("scores.parquet", "scores.csv"):
        assert main(["export", FILES, "--out", str(tmp_path / name), "--columns", "id,total,S1"]) == 0
    rows = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    assert rows == Release(FILES).records(columns=["id", "total", "S1"]).to_arrow().to_pylist()
    text = list(csv.DictReader((tmp_path / "scores.csv").open()))
    assert [(row["id"], row["S1"]) for row in text] == [(row["id"], row["S1"]) for row in rows]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.csv", "scores.parquet"]


RUN = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    " =1",
    "\t=1",
    "\u00a0=1",
    "\u200b=1",
    "＝1",
    "＋1",
    "－1",
    "＠A1",
    "﹦1",
    "\r\n1",
    "\t1",
]
PLAIN = ["a=1", "1-2", "Ångström", "'=1", "", None]


def test_a_text_that_a_spreadsheet_would_run_begins_with_an_apostrophe() -> None:
    table = pa.table({"title": RUN + PLAIN, "total": range(len(RUN + PLAIN))})
    expected = [f"'{text}" for text in RUN] + PLAIN
    assert guarded(table).column("title").to_pylist() == expected
    assert [safe(text) for text in RUN + PLAIN] == expected
    assert guarded(table).column("total") == table.column("total")


def test_a_cache_keeps_downloads_and_repairs_them(tmp_path: Path) -> None:
    for _ in range(2):
        with Release(FILES, cache=tmp_path) as release:
            part = release.parts("scores")[0]
            assert part.is_relative_to(tmp_path)
        part.write_bytes(part.read_bytes()[:100])
    (tmp_path / "kept").mkdir()
    with Release(FILES, cache=tmp_path) as release:
        release.files.chunks = None  # type: ignore[method-assign,assignment]
        with pytest.raises(TypeError):
            release.parts("scores")


@pytest.mark.parametrize("form", ["{0}\n{1}\n", "title,DOI\nx,{0}\ny,{1}\n", "\ufeffdoi\n{0}\n{1}\n"])
def test_looks_up_lists_in_each_form(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = os.environ["SHARE_SERVER"]
    doi = next(row["doi"] for row in Client(server).records(fields="doi") if row["doi"])
    (tmp_path / "list.csv").write_text(form.format(doi, "=nothing"), encoding="utf-8")
    assert main(["lookup", server, "--list", str(tmp_path / "list.csv")]) == 0
    found, missing = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (found["identifier"], found["doi"], found["reason"]) == (doi, doi, "")
    assert (missing["identifier"], missing["id"]) == ("'=nothing", "") and missing["reason"]


def test_looks_up_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("10.5072/nobody-has-this\n"))
    assert main(["lookup", os.environ["SHARE_SERVER"]]) == 0
    assert "10.5072/nobody-has-this,unknown," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", FILES, "--out", "x.txt"], "x.txt must end with .parquet or .csv"),
        (["export", FILES, "--out", "x.csv", "--columns", "mask"], "there is no column 'mask'"),
        (["verify", "/nowhere"], "/nowhere is not a folder"),
        (["verify", FILES, "--digest", "x"], "x is not a release digest"),
        (["lookup", "http://127.0.0.1:9", "--list", "/nowhere"], "No such file"),
    ],
)
def test_reports_errors_in_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("share-scores: ") and message in error and error.count("\n") == 1
