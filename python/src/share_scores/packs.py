"""Pages in packs, and the look-up of DOIs, as docs/packs.md describes them."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from .errors import ReleaseFault

MARK = b"SHAREPK1"
LOOKUP_MARK = b"SHARELK1"
SKIPPABLE = 0x184D2A5E
BUCKET = 4096
MAX_IN_BUCKET, MAX_ON_AVERAGE = 170, 96
MAX_INFLATED = (64 << 20) + (256 << 10)
MAX_ROOT, MAX_LEAF = 16 << 20, 2 << 20
ID = re.compile("r[0-9a-f]{24}")
PACK = re.compile(r"pages/(.+?)(?:\.([0-9a-f]{1,2}))?\.zst")

Read = Callable[[int, int], bytes]


@dataclass(frozen=True)
class Leaf:
    place: bytes
    offset: int
    length: int
    sha256: bytes


@dataclass(frozen=True)
class Page:
    key: str
    #: Offset and length in the pack, and length after decompression.
    frame: tuple[int, int, int]
    start: int
    length: int
    sha256: bytes


def require(condition: bool, fault: str) -> None:
    if not condition:
        raise ReleaseFault(fault)


def require_sha256(block: bytes, sha256: bytes, name: str) -> bytes:
    require(hashlib.sha256(block).digest() == sha256, f"{name} does not match its sha256")
    return block


@contextmanager
def named(pack: str) -> Iterator[None]:
    """Puts the path of a pack before each fault that does not name it, because most functions below do not know it."""
    try:
        yield
    except ReleaseFault as fault:
        if pack in fault.what:
            raise
        raise ReleaseFault(f"{pack}: {fault.what}") from fault


def number(block: bytes, at: int, size: int) -> int:
    require(at + size <= len(block), "the index of a pack or a bucket of lookup/doi.bin ends too early")
    return int.from_bytes(block[at : at + size], "little")


def place_of(key: str) -> bytes:
    return bytes.fromhex(key[1:]) if ID.fullmatch(key) else hashlib.sha256(key.encode()).digest()[:12]


def leaves_of(root: bytes) -> list[Leaf]:
    whole = 26 <= len(root) <= MAX_ROOT and number(root, 0, 4) == SKIPPABLE and number(root, 4, 4) == len(root) - 8
    require(whole and root[-8:] == MARK, "a file below pages/ is not a pack, or has another layout than SHAREPK1")
    require(
        number(root, len(root) - 12, 4) == len(root) and (len(root) - 26) % 54 == 0,
        "the index of a pack does not have the length that it states",
    )
    entries = (root[at : at + 54] for at in range(14, len(root) - 12, 54))
    return [Leaf(entry[:12], number(entry, 12, 6), number(entry, 18, 4), entry[22:]) for entry in entries]


def pages_of(leaf: bytes) -> list[Page]:
    require(
        number(leaf, 0, 4) == SKIPPABLE and number(leaf, 4, 4) == len(leaf) - 8,
        "a part of the index of a pack does not have the length that it states",
    )
    frames: list[tuple[int, int, int]] = []
    pages: list[Page] = []
    at = 12
    for _ in range(number(leaf, 8, 2)):
        frames.append((number(leaf, at, 6), number(leaf, at + 6, 4), number(leaf, at + 10, 4)))
        at += 14
    for _ in range(number(leaf, 10, 2)):
        end = at + 1 + number(leaf, at, 1)
        index, start, length = number(leaf, end, 2), number(leaf, end + 2, 4), number(leaf, end + 6, 4)
        require(index < len(frames), "the index of a pack places a page in a compressed block that it does not list")
        require(
            start + length <= frames[index][2] <= MAX_INFLATED,
            "the index of a pack places a page outside its compressed block",
        )
        pages.append(Page(leaf[at + 1 : end].decode(), frames[index], start, length, leaf[end + 10 : end + 42]))
        at = end + 42
    require(at == len(leaf), "a part of the index of a pack does not have the length that it states")
    return pages


def inflate(packed: bytes, size: int) -> bytes:
    """Returns the content of a compressed frame. Decompresses at most one byte more than `size`."""
    try:
        content: bytes = pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read(size + 1)
    except (OSError, pa.ArrowException) as error:
        raise ReleaseFault("a compressed block of a pack cannot be decompressed") from error
    require(len(content) == size, "a compressed block of a pack does not have the length in the index")
    return content


def pack_for(manifest: Iterable[dict[str, Any]], family: str, key: str) -> dict[str, Any] | None:
    """Returns the line of the manifest for the pack whose range includes the key."""
    place, best, chosen = place_of(key).hex(), None, None
    for line in manifest:
        named = PACK.fullmatch(line["path"])
        if named and named[1] == family:
            start = named[2] or ""
            if start <= place and (best is None or start > best):
                best, chosen = start, line
    return chosen


def find_page(read: Read, pack: dict[str, Any], key: str) -> bytes | None:
    """Returns one page of a pack by three range requests, or None if the pack does not have it."""
    size, index = pack["bytes"], pack["index"]
    require(index["bytes"] <= min(size, MAX_ROOT), "the manifest places the index outside the pack")
    root = require_sha256(
        read(-index["bytes"], index["bytes"]), bytes.fromhex(index["sha256"]), "the index of the pack"
    )
    leaves = [leaf for leaf in leaves_of(root) if leaf.place <= place_of(key)]
    if not leaves:
        return None
    leaf = leaves[-1]
    require(
        leaf.offset + leaf.length <= size and leaf.length <= MAX_LEAF,
        "the index refers to a part outside the pack",
    )
    for page in pages_of(require_sha256(read(leaf.offset, leaf.length), leaf.sha256, "a part of the index")):
        if page.key == key:
            offset, length, inflated = page.frame
            require(offset + length <= size, "the index refers to a block outside the pack")
            content = inflate(read(offset, length), inflated)
            return require_sha256(content[page.start : page.start + page.length], page.sha256, f"the page {key}")
    return None


def pages_in(read: Read, size: int) -> Iterator[tuple[str, str, bytes]]:
    """Yields key, sha256 and bytes of every page of a pack in order, each checked."""

    def block(offset: int, length: int) -> bytes:
        require(offset >= 0 and offset + length <= size, "a pack ends before the parts to which its index refers")
        return read(offset, length)

    held, content, end = None, b"", 0
    length = number(block(size - 12, 4), 0, 4)
    require(length <= MAX_ROOT, f"a pack states an index of {length} bytes, but at most {MAX_ROOT} are allowed")
    for leaf in leaves_of(block(size - length, length)):
        require(
            leaf.offset >= end and leaf.length <= MAX_LEAF,
            "a part of the index of a pack is too long, or not after the one before",
        )
        end = leaf.offset + leaf.length
        for page in pages_of(require_sha256(block(leaf.offset, leaf.length), leaf.sha256, "a part of the index")):
            if page.frame != held:
                held, content = page.frame, inflate(block(page.frame[0], page.frame[1]), page.frame[2])
            text = content[page.start : page.start + page.length]
            yield page.key, page.sha256.hex(), require_sha256(text, page.sha256, f"the page {page.key}")


class PagesRoot:
    """Computes the root of a family, a digest of all its pages. Add them in the order of their places."""

    def __init__(self) -> None:
        self._shards: dict[str, Any] = {}
        self._last = ""

    def add(self, key: str, sha256: str, start: str = "") -> None:
        """Adds a page of the pack whose range begins with `start`."""
        place = place_of(key).hex()
        require(self._last < place and start <= place, f"the page {key!r} is not in the order of places")
        self._last = place
        self._shards.setdefault(place[:3], hashlib.sha256()).update(f"{key} {sha256}\n".encode())

    def digest(self) -> str:
        lines = "".join(f"{shard} {self._shards[shard].hexdigest()}\n" for shard in sorted(self._shards))
        return "sha256:" + hashlib.sha256(lines.encode()).hexdigest()


# --- the look-up of DOIs ----------------------------------------------------------------------------------------------


def bucket_of(doi: str, size: int) -> tuple[int, bytes]:
    """Returns the offset of a DOI's bucket in a look-up of `size` bytes, and the start of its digest."""
    buckets = size // BUCKET
    require(
        size % BUCKET == 0 and buckets > 0 and buckets & (buckets - 1) == 0,
        f"lookup/doi.bin has {size} bytes, which is not {BUCKET} times a power of two",
    )
    digest = hashlib.sha256(doi.encode()).digest()
    bits = buckets.bit_length() - 1
    return (int.from_bytes(digest, "big") >> (256 - bits) if bits else 0) * BUCKET, digest[:12]


def ids_in(bucket: bytes, start: bytes) -> list[str]:
    """Returns the record ids of a DOI in its bucket."""
    count = number(bucket, 8, 2)
    require(bucket[:8] == LOOKUP_MARK and count <= MAX_IN_BUCKET, "a bucket of lookup/doi.bin is damaged")
    entries = (bucket[16 + 24 * i : 40 + 24 * i] for i in range(count))
    return ["r" + entry[12:].hex() for entry in entries if entry[:12] == start]


def lookup_of(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Returns the content of the look-up file for pairs of DOI and record id."""
    entries = sorted((hashlib.sha256(doi.encode()).digest(), bytes.fromhex(id[1:])) for doi, id in pairs)
    bits = 0
    while True:
        buckets: list[list[bytes]] = [[] for _ in range(1 << bits)]
        for digest, id in entries:
            own = buckets[int.from_bytes(digest, "big") >> (256 - bits) if bits else 0]
            own.append(digest[:12] + id)
        if len(entries) <= MAX_ON_AVERAGE << bits and max(map(len, buckets)) <= MAX_IN_BUCKET:
            break
        bits += 1
    return b"".join(
        (LOOKUP_MARK + len(own).to_bytes(8, "little") + b"".join(sorted(own))).ljust(BUCKET, b"\0") for own in buckets
    )
