#!/usr/bin/env python3
"""Reads pages of a published release. It follows docs/packs.md and nothing else.

This reads one page by range requests and checks it against the manifest:

    read_page.py http://localhost:8000/releases/sha256-3f9c… 2.0/record r1b2c3d4e5f60718293a4b5c6

A fourth argument is the digest of the manifest (`manifestDigest` of the receipt). Without it, the receipt on the server
decides. This checks all pages of a local pack, and prints the lines of the root over pages and the root:

    read_page.py --dump pages/2.0/record.zst

Needs Python 3.8 or later, and for zstd Python 3.14, the package `zstandard`, or the program `zstd`.
"""

import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
from urllib.request import Request, urlopen

MARK = b"SHAREPK1"
SKIPPABLE = 0x184D2A5E
MOST_INFLATED = (64 << 20) + (256 << 10)


def require(holds, what):
    if not holds:
        raise SystemExit(f"read_page.py: {what}")


def number(block, at, size):
    return int.from_bytes(block[at : at + size], "little")


def place_of(key):
    if re.fullmatch("r[0-9a-f]{24}", key):
        return bytes.fromhex(key[1:])
    return hashlib.sha256(key.encode()).digest()[:12]


def require_sha256(block, sha256, what):
    require(hashlib.sha256(block).digest() == sha256, f"{what} does not have the sha256 it should")


def leaves_of(root):
    """Returns place of the first page, offset, length and sha256 of each leaf."""
    whole = len(root) >= 26 and number(root, 0, 4) == SKIPPABLE and number(root, 4, 4) == len(root) - 8
    require(whole and root[-8:] == MARK, "this is not a pack, or a pack of another version")
    require(number(root, len(root) - 12, 4) == len(root) and (len(root) - 26) % 54 == 0, "the root is damaged")
    entries = (root[at : at + 54] for at in range(14, len(root) - 12, 54))
    return [(entry[:12], number(entry, 12, 6), number(entry, 18, 4), entry[22:]) for entry in entries]


def pages_of(leaf):
    """Returns key, frame, start, length and sha256 of each page. A frame is offset, length and decompressed length."""
    require(number(leaf, 0, 4) == SKIPPABLE and number(leaf, 4, 4) == len(leaf) - 8, "a leaf is damaged")
    frames, pages, at = [], [], 12
    for _ in range(number(leaf, 8, 2)):
        frames.append((number(leaf, at, 6), number(leaf, at + 6, 4), number(leaf, at + 10, 4)))
        at += 14
    for _ in range(number(leaf, 10, 2)):
        end = at + 1 + leaf[at]
        frame = frames[number(leaf, end, 2)]
        start, length = number(leaf, end + 2, 4), number(leaf, end + 6, 4)
        require(start + length <= frame[2] <= MOST_INFLATED, "a page lies outside its frame")
        pages.append((leaf[at + 1 : end].decode(), frame, start, length, leaf[end + 10 : end + 42]))
        at = end + 42
    require(at == len(leaf), "a leaf is damaged")
    return pages


def inflate(packed, size):
    """Returns the content of a frame. It reads at most one byte more than expected."""
    try:
        from compression import zstd

        content = zstd.ZstdFile(io.BytesIO(packed)).read(size + 1)
    except ImportError:
        try:
            import zstandard

            content = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)).read(size + 1)
        except ImportError:
            with tempfile.TemporaryFile() as file:
                file.write(packed)
                file.seek(0)
                with subprocess.Popen(["zstd", "-dc"], stdin=file, stdout=subprocess.PIPE) as program:
                    content = program.stdout.read(size + 1)
                    program.kill()
    require(len(content) == size, "a frame does not have the bytes it should")
    return content


def fetch(url, most, byte_range=None):
    """Returns the body of a URL, or a range of it, with at most `most` bytes."""
    request = Request(url, headers={} if byte_range is None else {"Range": f"bytes={byte_range}"})
    with urlopen(request) as answer:
        require(byte_range is None or answer.status == 206, f"{url}: the server does not answer ranges")
        body = answer.read(most + 1)
    require(len(body) <= most, f"{url}: more than the {most} bytes expected")
    return body


def find_page(release, family, key, manifest_digest=None):
    """Returns one page, or None if the release has no page with that key."""
    if manifest_digest is None:
        manifest_digest = json.loads(fetch(f"{release}/release.json", 16 << 20))["manifestDigest"]
    manifest = fetch(f"{release}/manifest.ndjson", 16 << 20)
    require(f"sha256:{hashlib.sha256(manifest).hexdigest()}" == manifest_digest, "the manifest is of another release")

    place = place_of(key)
    name = re.compile(rf"pages/{re.escape(family)}(?:\.([0-9a-f]{{1,2}}))?\.zst")
    named = ((name.fullmatch(line["path"]), line) for line in map(json.loads, manifest.splitlines()))
    packs = [(match[1] or "", line) for match, line in named if match]
    packs = [pack for pack in packs if pack[0] <= place.hex()]
    if not packs:
        return None
    pack = max(packs, key=lambda pack: pack[0])[1]
    url, index = f"{release}/{pack['path']}", pack["index"]

    root = fetch(url, index["bytes"], f"-{index['bytes']}")
    require_sha256(root, bytes.fromhex(index["sha256"]), "the root")
    leaves = [leaf for leaf in leaves_of(root) if leaf[0] <= place]
    if not leaves:
        return None
    _, offset, length, sha256 = leaves[-1]
    require(offset + length <= pack["bytes"], "a leaf lies outside the pack")
    leaf = fetch(url, length, f"{offset}-{offset + length - 1}")
    require_sha256(leaf, sha256, "the leaf")
    for found, (offset, packed, inflated), start, length, sha256 in pages_of(leaf):
        if found == key:
            require(offset + packed <= pack["bytes"], "a frame lies outside the pack")
            page = inflate(fetch(url, packed, f"{offset}-{offset + packed - 1}"), inflated)[start : start + length]
            require_sha256(page, sha256, "the page")
            return page
    return None


def pages_in(path):
    """Returns every page of a local pack in order, checked: key, sha256, and bytes."""
    with open(path, "rb") as pack:
        size = pack.seek(0, io.SEEK_END)

        def read(offset, length):
            require(0 <= offset and offset + length <= size, f"{path} is too short")
            pack.seek(offset)
            return pack.read(length)

        length = number(read(size - 12, 4), 0, 4)
        held, content = None, b""
        for _, offset, length, sha256 in leaves_of(read(size - length, length)):
            leaf = read(offset, length)
            require_sha256(leaf, sha256, "a leaf")
            for key, frame, start, length, sha256 in pages_of(leaf):
                if frame != held:
                    held, content = frame, inflate(read(frame[0], frame[1]), frame[2])
                page = content[start : start + length]
                require_sha256(page, sha256, key)
                yield key, sha256.hex(), page


def dump(paths):
    shards = {}
    for path in paths:
        for key, sha256, _ in pages_in(path):
            line = f"{key} {sha256}\n"
            sys.stdout.write(line)
            shards.setdefault(place_of(key).hex()[:3], hashlib.sha256()).update(line.encode())
    lines = (f"{shard} {shards[shard].hexdigest()}\n" for shard in sorted(shards))
    sys.stdout.write(f"root sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}\n")


def main(arguments):
    if len(arguments) > 1 and arguments[0] == "--dump":
        dump(arguments[1:])
    elif len(arguments) in (3, 4):
        release, family, key, *digest = arguments
        page = find_page(release.rstrip("/"), family, key, *digest)
        require(page is not None, f"the release has no page {key} in {family}")
        sys.stdout.buffer.write(page)
    else:
        raise SystemExit("usage: read_page.py RELEASE-URL FAMILY KEY [MANIFEST-DIGEST], or read_page.py --dump PACK…")


if __name__ == "__main__":
    main(sys.argv[1:])
