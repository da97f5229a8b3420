"""A client of the API of a SHARE server (docs/api-guide.md)."""

import io
import random
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pyarrow as pa

from .errors import Problem, ShareError
from .files import bounded
from .packs import ID
from .release import RESOLVER, Release, parsed
from .rows import Rows

ARROW = "application/vnd.apache.arrow.stream"
MAX_RESPONSE = 64 << 20
MAX_STREAM = 64 << 30
MAX_DRAFT = 5 << 20
MAX_LOOKED_UP = 1000
#: Statuses after which the same request may succeed. A request with status 429 had no effect and can be repeated.
TEMPORARY = (408, 429, 500, 502, 503, 504)
#: Seconds before the second attempt, if the server does not state them.
FIRST_PAUSE = 0.5


class Client:
    """The API of a server. It waits as `RateLimit` and `Retry-After` require, at most `patience` seconds at a time."""

    def __init__(self, url: str, *, api_key: str | None = None, retries: int = 4, patience: float = 60) -> None:
        headers = {"Accept-Encoding": "identity", **({} if api_key is None else {"X-API-Key": api_key})}
        # Redirects are not followed, because they could send the key to another host.
        self.http = httpx.Client(timeout=60, headers=headers)
        self.url = url.rstrip("/")
        self.retries, self.patience = retries, patience
        self._resumes_at = 0.0

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    # --- requests -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _response(self, method: str, path: str, *, safe: bool = True, **options: Any) -> Iterator[httpx.Response]:
        """Opens a response of status 2xx. Repeats a failed request if it is safe, or if a quota rejected it."""
        for attempt in range(self.retries + 1):
            pause = self._resumes_at - time.monotonic()
            if 0 < pause <= self.patience:
                time.sleep(pause)
            try:
                with self.http.stream(method, self.url + path, **options) as response:
                    self._note(response.headers.get("ratelimit", ""))
                    if response.is_success:
                        yield response
                        return
                    problem = problem_of(response)
            except httpx.TransportError as error:
                problem = Problem(
                    0, "unreachable", f"{self.url} did not respond ({error}); check the URL and your connection"
                )
                if not safe:
                    raise problem from error
            wait = problem.retry_after
            if wait is None:
                wait = FIRST_PAUSE * 2**attempt * (1 - random.random() / 2)
            again = problem.status == 429 or (safe and problem.status in (0, *TEMPORARY))
            if not again or attempt == self.retries or wait > self.patience:
                raise problem
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _note(self, header: str) -> None:
        for remaining, seconds in re.findall(r'"[^"]*"\s*;\s*r=(\d+)\s*;\s*t=(\d+)', header):
            if int(remaining) == 0:
                self._resumes_at = max(self._resumes_at, time.monotonic() + int(seconds))

    def _json(self, method: str, path: str, *, safe: bool = True, **options: Any) -> Any:
        with self._response(method, path, safe=safe, **options) as response:
            return parsed(b"".join(bounded(response.iter_raw(), MAX_RESPONSE, path)), path)

    # --- datasets -----------------------------------------------------------------------------------------------------

    def record(self, identifier: str, rubric: str = "2.0") -> dict[str, Any] | None:
        """Returns a record with its 25 signals by id or DOI, or None if the release does not have it."""
        if not ID.fullmatch(identifier):
            doi = RESOLVER.sub("", identifier.strip()).lower()
            found = self._json("GET", "/records", params={"doi": doi, "fields": "id"})["data"]
            if not found:
                return None
            identifier = found[0]["id"]
        try:
            return dict(self._json("GET", f"/records/{identifier}", params={"rubric": rubric}))
        except Problem as problem:
            if problem.status == 404:
                return None
            raise

    def lookup(self, identifiers: Iterable[str]) -> Rows:
        """Returns a row for each identifier in order: `identifier`, `record` or null, and the `reason` if null."""
        rows: list[dict[str, Any]] = []
        coming = iter(identifiers)
        while own := list(islice(coming, MAX_LOOKED_UP)):
            rows += self._json("POST", "/records/lookup", json={"identifiers": own})["data"]
        table = pa.Table.from_pylist(rows)
        return Rows(lambda: iter(table.to_batches()), lambda: table.schema)

    def records(self, **filters: Any) -> "List":
        """Returns a list of records. Filters are those of the API in snake case, such as `min_score=80`."""
        return List(self, "/records", filters)

    def researchers(self, **filters: Any) -> "List":
        """Returns a list of researchers with their S-Index."""
        return List(self, "/authors", filters)

    def changes(self, digest: str | None = None, **filters: Any) -> "List":
        """Returns the records that a release added, changed or removed. Without a digest, it is the current release."""
        return List(self, f"/releases/{self._folder(digest)}/changes", filters)

    # --- releases -----------------------------------------------------------------------------------------------------

    def releases(self) -> list[dict[str, Any]]:
        """Returns the releases of the server."""
        return list(self._json("GET", "/releases"))

    def release(self, digest: str | None = None) -> Release:
        """Opens the release with this digest, or the current one, to read and verify its files."""
        return Release(f"{self.url}/releases/{self._folder(digest)}")

    def _folder(self, digest: str | None) -> str:
        if digest is None:
            digest = next((each["releaseDigest"] for each in self.releases() if each["active"]), None)
        if digest is None:
            raise ShareError(f"{self.url} has no active release yet; try again later, or give the digest of a release")
        return quote(digest.replace(":", "-"), safe="")

    # --- evaluations --------------------------------------------------------------------------------------------------

    def evaluate(self, identifier: str, rubric: str = "2.0") -> dict[str, Any]:
        """Scores one dataset now, or returns its published score. This takes up to 30 seconds."""
        body = {"identifier": identifier, "rubricVersion": rubric}
        return dict(self._json("POST", "/evaluations", safe=False, json=body))

    def check_draft(self, path: str | Path, source: str) -> dict[str, Any]:
        """Scores a file of metadata in the format of a source, such as `zenodo`. The server does not store the file."""
        content = Path(path).read_bytes()
        if len(content) > MAX_DRAFT:
            raise ShareError(f"{path} is larger than 5 MiB, the limit for a draft; shorten it")
        kind = "application/xml" if content.lstrip().startswith(b"<") else "application/json"
        parameters, headers = {"source": source}, {"Content-Type": kind}
        return dict(
            self._json("POST", "/evaluations/draft", safe=False, params=parameters, content=content, headers=headers)
        )


class List(Rows):
    """A list of the API. Iteration reads it by cursors; `to_arrow()` and data frames read one Arrow stream."""

    def __init__(self, client: Client, path: str, filters: dict[str, Any]) -> None:
        super().__init__(self._all_batches, self._own_schema)
        self.client, self.path = client, path
        self.parameters = {camel(name): text_of(value) for name, value in filters.items() if value is not None}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        cursor: str | None = "*"
        while cursor is not None:
            parameters = {"limit": "100", **self.parameters, "cursor": cursor}
            page = self.client._json("GET", self.path, params=parameters)
            yield from page["data"]
            cursor = page["pagination"].get("nextCursor")

    @contextmanager
    def _stream(self) -> Iterator[tuple[pa.RecordBatchReader, str | None]]:
        """Opens the Arrow stream of the whole list, with the number of its rows."""
        with self.client._response("GET", self.path, params=self.parameters, headers={"Accept": ARROW}) as response:
            chunks = Stream(bounded(response.iter_raw(), MAX_STREAM, self.path))
            yield pa.ipc.open_stream(io.BufferedReader(chunks, 1 << 20)), response.headers.get("x-total-count")

    def _all_batches(self) -> Iterator[pa.RecordBatch]:
        read = 0
        with self._stream() as (stream, expected):
            for batch in stream:
                read += batch.num_rows
                yield batch
        if expected is not None and int(expected) != read:
            raise ShareError(f"{self.path}: the stream ended after {read} of {expected} rows; read the list again")

    def _own_schema(self) -> pa.Schema:
        with self._stream() as (stream, _):
            return stream.schema


class Stream(io.RawIOBase):
    """Chunks of a response as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks, self.rest = chunks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self.rest:
            chunk = next(self.chunks, None)
            if chunk is None:
                return 0
            self.rest = chunk
        size = min(len(target), len(self.rest))
        target[:size], self.rest = self.rest[:size], self.rest[size:]
        return size


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def problem_of(response: httpx.Response) -> Problem:
    """Returns the problem document of a response (RFC 9457)."""
    wait = response.headers.get("retry-after", "")
    after = float(wait) if wait.isdigit() else None
    try:
        text = b"".join(bounded(response.iter_raw(), 1 << 20, "the problem"))
        told = parsed(text, "the problem")
        code = str(told["type"]).rsplit("/", 1)[-1]
        return Problem(response.status_code, code, str(told.get("detail") or told["title"]), told.get("errors"), after)
    except (ShareError, KeyError, TypeError, AttributeError):
        return Problem(
            response.status_code,
            "unknown",
            f"the server responds with status {response.status_code} and no reason; check the URL",
            None,
            after,
        )
