"""A release of the bundled corpus, read from a folder, from nginx and from a server."""

import contextlib
import http.server
import json
import os
import re
import shutil
import threading
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from share_scores import ContractRejected, Release, ReleaseFault, ShareError
from share_scores.scores import checked
from share_scores.signals import SIGNALS, STATES


def test_records_have_the_totals_of_the_table(release: Release) -> None:
    records = release.records().to_arrow()
    scores = {row["id"]: row for row in release.table("scores") if row["rubric"] == "2.0"}
    assert records.num_rows == sum(batch.num_rows for batch in release.table("records").batches()) > 100
    for row in records.to_pylist():
        score = scores.get(row["id"], {})
        assert row["total"] == score.get("total")
        assert row["score_status"] == (score.get("status") or "failed")
        passed = sum(1 for name in SIGNALS if row[name] == "passed")
        if row["total"] is not None:
            assert row["total"] == 4 * passed


def test_states_are_those_of_the_pages(release: Release) -> None:
    seen = set()
    rows = list(release.records(columns=["id", "score_status", *SIGNALS]))
    failed = [row for row in rows if row["score_status"] == "failed"]
    assert failed
    for row in rows[:40] + failed:
        page = release.record(row["id"])
        assert page is not None
        own = {signal["id"]: signal["state"] for signal in page["signals"]}
        assert {name: row[name] for name in SIGNALS} == own
        assert row["score_status"] == page["scoreStatus"]
        seen |= set(own.values())
    assert seen <= set(STATES) and {"passed", "absent", "unsupported"} <= seen


def test_versions_and_columns_can_be_chosen(release: Release) -> None:
    frame = release.records("1.0", columns=["total", "doi", "R1"])
    assert frame.to_arrow().column_names == ["total", "doi", "R1"]
    assert (
        frame.to_reader().schema.field("R1").metadata[b"description"]
        == release.contract("1.0")["signals"][15]["name"].encode()
    )
    with pytest.raises(ValueError, match="no column 'mask'"):
        release.records(columns=["mask"])


def test_the_contract_of_the_release_gives_its_totals_and_states(folder: Release) -> None:
    for rubric in ("2.0", "1.0"):
        published = {row["id"]: row for row in folder.records(rubric)}
        assert folder.score(folder.contract(rubric)).to_arrow().num_rows == len(published)
        for row in folder.score(folder.contract(rubric)):
            own = published[row["id"]]
            assert row["total"] == own["total"]
            assert {name: row[name] for name in SIGNALS} == {name: own[name] for name in SIGNALS}


def test_an_own_contract_gives_what_the_command_gives(folder: Release) -> None:
    found = folder.score(os.environ["SHARE_OWN_CONTRACT"])
    with duckdb.connect() as db:
        expected = db.read_parquet(os.environ["SHARE_OWN_SCORES"]).order("id").to_arrow_table().to_pylist()
    assert list(found) == expected
    assert {row["total"] is None for row in found} == {True, False}
    assert len({row["difference"] for row in found}) > 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("license_open", "licence_open", r"line 4: signal A1: there is no column 'licence_open'"),
        ('"E1"', '"E9"', "line 6: a signal has the id 'E9', which is not one of S1 to E5"),
        ('"E1"', '"A1"', "line 4: there are two signals A1"),
        ('"name": "Open formats", ', "", "line 5: signal A2 has no name"),
        ('"rule": "license_open"', '"rule": "1 = 1"', "line 4: signal A1: the rule has no column"),
        ('"title"', '"titel"', "line 2: there is no field 'titel'"),
        ('"A2",', '"A2"', "line 5: not valid JSON"),
        ("license_open", "license_open; drop table evidence", "there is no column"),
        (">= 1 or", ">= or", "cannot be applied"),
    ],
)
def test_a_contract_with_a_fault_is_rejected(folder: Release, tmp_path: Path, old: str, new: str, message: str) -> None:
    text = Path(os.environ["SHARE_OWN_CONTRACT"]).read_text("utf-8")
    assert old in text
    (tmp_path / "own.json").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(ContractRejected, match=message):
        folder.score(tmp_path / "own.json").to_arrow()


def test_data_frames_have_the_same_rows(folder: Release) -> None:
    rows = folder.records(columns=["id", "total", "S1"])
    polars, pandas = rows.to_polars(), rows.to_pandas()
    assert polars["id"].to_list() == pandas["id"].to_list() == rows.to_arrow().column("id").to_pylist()
    assert polars["S1"].to_list() == [None if value != value else value for value in pandas["S1"]]
    assert duckdb.from_arrow(rows.to_reader()).aggregate("count(*)").fetchall() == [(len(pandas),)]


def test_batches_that_end_between_ids_are_joined(folder: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = folder.records().to_arrow()
    monkeypatch.setattr("share_scores.release.BATCH", 7)
    assert folder.records().to_arrow().equals(expected)


def test_finds_a_record_by_each_spelling_of_its_doi(release: Release) -> None:
    row = next(row for row in release.records(columns=["id", "doi"]) if row["doi"])
    for spelling in (row["doi"], f"https://doi.org/{row['doi'].upper()}", f" doi:{row['doi']}"):
        found = release.record(spelling)
        assert found is not None and found["id"] == row["id"]
    assert release.record("10.5072/nobody-has-this") is None


def test_verifies(release: Release) -> None:
    result = release.verify()
    assert (result.findings, result.ok) == ([], True)
    assert result.values > 10_000


def test_rejects_another_digest(where: str) -> None:
    with pytest.raises(ReleaseFault, match="this is release sha256:"):
        _ = Release(where, digest="sha256:" + "0" * 64).receipt
    with pytest.raises(ReleaseFault, match="the manifest is of another release"):
        _ = Release(where, manifest_digest="sha256:" + "0" * 64).manifest


def test_rejects_a_changed_table(folder: Release, tmp_path: Path) -> None:
    shutil.copytree(folder.files.folder, tmp_path / "copy")  # type: ignore[attr-defined]
    part = tmp_path / "copy/data/scores/part-0000.parquet"
    block = bytearray(part.read_bytes())
    block[100] ^= 1
    part.write_bytes(block)
    with pytest.raises(ReleaseFault, match=r"data/scores/part-0000.parquet: its sha256 is"):
        Release(tmp_path / "copy").records()


@pytest.mark.parametrize(
    "path", ["../release.json", "/etc/passwd", "a/../../b", "a//b", ".hidden", "a\\b", "x" * 300, "a\nb", ""]
)
def test_rejects_paths_that_leave_the_release(path: str, folder: Release) -> None:
    with pytest.raises(ReleaseFault, match="is not the path of a file"):
        folder.files.read(path, 10)


def test_does_not_follow_a_link_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "release/release.json").symlink_to(tmp_path / "secret")
    with pytest.raises(ShareError, match="does not exist"):
        _ = Release(tmp_path / "release").receipt


@pytest.mark.parametrize(
    "predicate",
    [
        "read_text('/etc/passwd') is not null",
        "keyword_count >= (select 1)",
        "keyword_count >= 1; drop table evidence",
        "keyword_count >= 1 -- x",
        '"keyword_count" >= 1',
        "range(1000000000) is null",
        "unknown_column >= 1",
    ],
)
def test_rejects_sql_in_a_contract(predicate: str) -> None:
    with pytest.raises(ReleaseFault, match="a contract has"):
        checked(predicate, {"keyword_count": (0, "INTEGER")})


class Hostile(http.server.BaseHTTPRequestHandler):
    """Responds with the fault that its path names."""

    def do_GET(self) -> None:
        kind = self.path.split("/")[1]
        if kind == "circle":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
            return
        self.send_response(200)
        if kind == "gzip":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        with contextlib.suppress(OSError):
            if kind == "endless":
                while True:
                    self.wfile.write(b" " * (1 << 20))
            self.wfile.write({"deep": b"[" * 200_000, "text": b"<html>"}.get(kind, b"{}"))

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("circle", "more than 5 redirects or waits"),
        ("endless", "more than the 16777216 bytes expected"),
        ("gzip", "the host compresses"),
        ("deep", "release.json is not JSON"),
        ("text", "release.json is not JSON"),
    ],
)
def test_bounds_what_a_host_sends(kind: str, fault: str) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        release = Release(f"http://127.0.0.1:{server.server_port}/{kind}")
        with release, pytest.raises(ReleaseFault, match=re.escape(fault)):
            _ = release.receipt
    finally:
        server.shutdown()
        server.server_close()


def test_reports_a_release_that_cannot_be_read(folder: Release, tmp_path: Path) -> None:
    shutil.copytree(folder.files.folder, tmp_path / "copy")  # type: ignore[attr-defined]
    receipt = tmp_path / "copy/release.json"
    receipt.write_text(json.dumps({**folder.receipt, "rubrics": 7}))
    result = Release(tmp_path / "copy").verify()
    assert not result.ok and "cannot be read" in result.findings[0]


def test_a_stream_holds_one_batch(folder: Release) -> None:
    reader = folder.records().to_reader()
    assert isinstance(reader, pa.RecordBatchReader)
    assert next(iter(reader)).num_rows > 0
