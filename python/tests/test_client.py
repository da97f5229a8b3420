"""The API of a real server."""

import http.server
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from share_scores import Client, Problem


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(os.environ["SHARE_SERVER"])


def test_lists_have_the_same_rows_by_cursor_and_as_a_stream(client: Client) -> None:
    rows = client.records(min_score=20, fields=["id", "score.total"])
    paged = list(rows)
    assert len(paged) > 30
    assert rows.to_arrow().to_pylist() == paged
    assert rows.to_polars()["id"].to_list() == [row["id"] for row in paged]
    assert list(rows.to_pandas()["id"]) == [row["id"] for row in paged]
    assert all(row["score"]["total"] >= 20 for row in paged)
    assert sum(batch.num_rows for batch in client.records().batches()) == client.records().to_arrow().num_rows


def test_cursors_read_more_than_one_page(client: Client) -> None:
    rows = list(client.records(limit=10, fields="id"))
    assert len({row["id"] for row in rows}) == len(rows) == client.records(fields="id").to_arrow().num_rows


def test_finds_a_record_by_id_and_doi(client: Client) -> None:
    row = next(row for row in client.records() if row["doi"])
    by_id, by_doi = client.record(row["id"]), client.record(f"https://doi.org/{row['doi'].upper()}")
    assert by_id == by_doi and by_id is not None and len(by_id["signals"]) == 25
    assert client.record("10.5072/nobody-has-this") is None
    assert client.record("r" + "0" * 24) is None


def test_looks_up_a_thousand_identifiers_in_one_call(client: Client) -> None:
    known = [row["doi"] for row in client.records(fields="doi") if row["doi"]]
    wanted = (known * 1000)[:999] + ["10.5072/nobody-has-this"]
    began = time.monotonic()
    found = list(client.lookup(wanted))
    assert time.monotonic() - began < 5
    assert [row["identifier"] for row in found] == wanted
    assert [row["record"]["doi"] for row in found[:999]] == wanted[:999]
    assert (found[999]["record"], found[999]["reason"]) == (None, "unknown")
    assert len(list(client.lookup([*wanted, known[0]]))) == 1001


def test_opens_the_active_release(client: Client) -> None:
    release = client.release()
    assert release.digest == next(each["releaseDigest"] for each in client.releases() if each["active"])
    assert client.changes().to_arrow().num_rows == len(list(client.changes()))
    assert client.researchers().to_arrow().num_rows > 5


def test_scores_a_draft(client: Client) -> None:
    draft = Path(os.environ["SHARE_REPOSITORY"]) / "fixtures/payloads/zenodo/creators.json"
    assert len(client.check_draft(draft, "zenodo")["draft"]["record"]["signals"]) == 25


def test_raises_the_problem_of_the_server(client: Client) -> None:
    with pytest.raises(Problem) as raised:
        list(client.records(min_score=101))
    problem = raised.value
    assert (problem.status, problem.code, problem.errors[0]["path"]) == (400, "invalid-parameter", "minScore")
    with pytest.raises(Problem) as raised:
        client.evaluate("not an identifier")
    assert raised.value.status in (400, 422)
    with pytest.raises(Problem, match="bad-api-key"):
        list(Client(client.url, api_key="sk_unknown").records())


class Busy(http.server.BaseHTTPRequestHandler):
    """Rejects the first request, then responds and states that the quota is used up."""

    asked: list[float] = []

    def do_GET(self) -> None:
        self.asked.append(time.monotonic())
        body: Any = b'[{"releaseDigest": "x", "active": true}]'
        self.send_response(429 if len(self.asked) == 1 else 200)
        if len(self.asked) == 1:
            self.send_header("Retry-After", "1")
        else:
            self.send_header("RateLimit", '"anonymous";r=0;t=1')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_waits_for_retry_after_and_for_a_quota() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        client = Client(f"http://127.0.0.1:{server.server_port}")
        client.releases()
        client.releases()
        first, second, third = Busy.asked
        assert second - first >= 1 and third - second >= 0.9
    finally:
        server.shutdown()
        server.server_close()


def test_gives_up_if_the_host_is_not_there() -> None:
    with pytest.raises(Problem, match="unreachable"):
        Client("http://127.0.0.1:9", retries=0).releases()
