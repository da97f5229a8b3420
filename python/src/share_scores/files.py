"""Files of a release in a folder or at a URL. Every read is bounded, because a host may send anything."""

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import httpx

from .errors import NotFound, ReleaseFault

CHUNK = 1 << 20
#: Largest number of redirects and waits of one request, and longest wait for `Retry-After` in seconds.
MAX_REDIRECTS = 5
MAX_WAIT = 60
#: A response takes at most this many seconds, and one more for each ten thousand expected bytes.
MIN_SECONDS = 60
#: A path of a manifest: no absolute path, no "..", no hidden file, no other separator.
PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")

#: The release in the path of a URL.
DIGEST_PART = re.compile(r"/releases/sha256(?:-|:|%3a)([0-9a-f]{64})$", re.IGNORECASE)


def checked_path(path: str) -> str:
    if len(path) > 255 or not PATH.fullmatch(path):
        raise ReleaseFault(f"{path[:80]!r} is not the path of a file of a release")
    return path


class Files(Protocol):
    """The files of one release."""

    @property
    def name(self) -> str:
        """Last part of the folder or URL."""

    def read(self, path: str, most: int) -> bytes:
        """Returns a file of at most `most` bytes."""

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Returns a range. A negative offset counts from the end."""

    def chunks(self, path: str, most: int) -> Iterator[bytes]:
        """Yields a file of at most `most` bytes in pieces."""

    def close(self) -> None:
        """Closes connections."""


class Folder:
    """A release in a local folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.name = self.folder.name

    def locate(self, path: str) -> Path:
        found = (self.folder / checked_path(path)).resolve()
        if not found.is_relative_to(self.folder) or not found.is_file():
            raise NotFound(f"{path} does not exist in {self.folder}; give the folder of a complete release")
        return found

    def read(self, path: str, most: int) -> bytes:
        return b"".join(self.chunks(path, most))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        with self.locate(path).open("rb") as file:
            file.seek(offset if offset >= 0 else max(0, file.seek(0, 2) + offset))
            block = file.read(length)
        if len(block) != length:
            raise ReleaseFault(f"{path} ends too early: it has only {len(block)} of {length} requested bytes")
        return block

    def chunks(self, path: str, most: int) -> Iterator[bytes]:
        with self.locate(path).open("rb") as file:
            yield from bounded(iter(lambda: file.read(CHUNK), b""), most, path)

    def close(self) -> None:
        pass


class Web:
    """A release below a URL. It follows redirects, but never from https to http."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(timeout=30, headers={"Accept-Encoding": "identity"})
        try:
            self.url = self.resolve(url.rstrip("/"))
        except BaseException:
            self.http.close()
            raise
        self.name = urlsplit(self.url).path.rsplit("/", 1)[-1]

    def resolve(self, url: str) -> str:
        """Returns the URL of a release. `latest` redirects to it; `current` of a bucket is an object that names it."""
        if url.endswith("/current"):
            try:
                with self.get(url) as response:
                    named = b"".join(bounded(response.iter_raw(), 4096, url))
                found = re.search(rb'"folder"\s*:\s*"((?:releases/)?sha256-[0-9a-f]{64})/?"', named)
                if found:
                    return f"{url[: -len('/current')]}/{found[1].decode()}"
            except (NotFound, ReleaseFault):
                pass  # A folder of files: `current` is a link to the release.
        if url.endswith("/latest"):
            with self.get(url, {"Range": "bytes=0-0"}) as response:
                return str(response.url).rstrip("/")
        return url

    @contextmanager
    def get(self, url: str, headers: dict[str, str] | None = None) -> Iterator[httpx.Response]:
        for _ in range(MAX_REDIRECTS + 1):
            with self.http.stream("GET", url, headers=headers) as response:
                if response.next_request is None:
                    if response.status_code in (403, 404):
                        raise NotFound(f"{url}: the host responds with status {response.status_code}; check the URL")
                    wait = response.headers.get("retry-after", "")
                    if response.status_code in (429, 503) and wait.isdigit() and int(wait) <= MAX_WAIT:
                        time.sleep(int(wait))
                        continue
                    if response.status_code not in (200, 206):
                        raise ReleaseFault(f"{url}: the host responds with status {response.status_code}")
                    if "content-encoding" in response.headers:
                        raise ReleaseFault(f"{url}: the host compresses its response, although it was asked not to")
                    yield response
                    return
                following = str(response.next_request.url)
            if urlsplit(url).scheme == "https" and urlsplit(following).scheme != "https":
                raise ReleaseFault(f"{url} redirects from https to http")
            url = following
        raise ReleaseFault(f"{url}: more than {MAX_REDIRECTS} redirects or waits")

    def read(self, path: str, most: int) -> bytes:
        return b"".join(self.chunks(path, most))

    def read_url(self, url: str, most: int) -> bytes:
        """Returns a file beside the release."""
        with self.get(url) as response:
            return b"".join(bounded(response.iter_raw(), most, url))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        asked = f"bytes={offset}" if offset < 0 else f"bytes={offset}-{offset + length - 1}"
        url = f"{self.url}/{checked_path(path)}"
        with self.get(url, {"Range": asked}) as response:
            if response.status_code != 206:
                raise ReleaseFault(f"{url}: the host does not support range requests")
            block = b"".join(bounded(response.iter_raw(), length, path))
        if len(block) != length:
            raise ReleaseFault(f"{path} ends too early: it has only {len(block)} of {length} requested bytes")
        return block

    def chunks(self, path: str, most: int) -> Iterator[bytes]:
        with self.get(f"{self.url}/{checked_path(path)}") as response:
            yield from bounded(response.iter_raw(), most, path)

    def close(self) -> None:
        self.http.close()


def bounded(chunks: Iterator[bytes], most: int, path: str) -> Iterator[bytes]:
    """Yields chunks, and raises if they have more than `most` bytes or come too slowly."""
    end, size = time.monotonic() + MIN_SECONDS + most / 10_000, 0
    for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise ReleaseFault(f"{path} has more than the {most} bytes expected")
        if time.monotonic() > end:
            raise ReleaseFault(f"{path} did not arrive in the time that is allowed for its size")
        yield chunk


def open_files(where: str | Path) -> Files:
    """Returns the files below a URL or in a folder."""
    text = str(where)
    if re.match(r"https?://", text):
        return Web(text)
    folder = Path(where)
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder; give the folder or the URL of a release")
    return Folder(folder)


def sha256_of(chunks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()
