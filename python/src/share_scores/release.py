"""A published release, in a folder or at a URL."""

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import own_contract, packs
from .errors import NotFound, ReleaseFault
from .files import CHUNK, Folder, checked_path, open_files, sha256_of
from .rows import Rows
from .signals import MASKS, SIGNALS, decoded, masks_of_batch, signal_fields, supported_by
from .signatures import Key, exactly, publisher_at, signature_fault
from .verify import MEMORY, Verification, verify

MAX_DOCUMENT = 64 << 20
MAX_INDEX = 16 << 20
#: Rows in a batch, as in a row group of a release.
BATCH = 65_536
#: Bytes of a decompressed row group: 65,536 rows of the widest table are far below.
MAX_ROW_GROUP = 2 << 30
DIGEST = re.compile(r"sha256[:-]([0-9a-f]{64})")
TABLE = re.compile(r"data/([a-z-]+)/part-\d+\.parquet")
RESOLVER = re.compile(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


class Release:
    """A release. Every file, page and table is compared with the manifest before it is used.

    `where` is a folder, or the URL of a release: `…/releases/sha256-…`, `…/releases/latest` or `…/current`.
    `digest` is the release digest you expect; a folder or URL that ends with a digest states it too. `manifest_digest`
    is the sha256 of the manifest, from a channel that you trust. Without it, the receipt beside the release decides.
    `keys` are public keys of the publisher (`read_keys`), of which one must have signed the release. A URL without a
    digest then means the latest release according to the head of the publisher, which must be valid now.
    `last_sequence` is `head["sequence"]` of the last time: a lower one is rejected. `allow_older` accepts a head that
    is missing or old.
    `cache` is a folder that keeps downloaded files for the next time.
    """

    def __init__(
        self,
        where: str | Path,
        *,
        digest: str | None = None,
        manifest_digest: str | None = None,
        keys: Sequence[Key] | None = None,
        last_sequence: int = 0,
        allow_older: bool = False,
        cache: str | Path | None = None,
    ) -> None:
        self._keys = keys
        #: The head of the publisher, if one of the keys signed it.
        self.head: dict[str, Any] | None = None
        if keys is not None and re.match(r"https?://", str(where)):
            where, self._keys, self.head = publisher_at(
                str(where), keys, last_sequence=last_sequence, allow_older=allow_older
            )
        self.files = open_files(where)
        self._manifest_digest = manifest_digest
        self._cache = None if cache is None else Path(cache)
        self._downloads: tempfile.TemporaryDirectory[str] | None = None
        self._verified: dict[str, Path] = {}
        named = DIGEST.fullmatch(digest or self.files.name)
        self._digest = f"sha256:{named[1]}" if named else None
        if digest is not None and self._digest is None:
            raise ValueError(f"{digest} is not a release digest, which is sha256: and 64 hexadecimal digits")

    def __enter__(self) -> "Release":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes connections and removes downloaded files."""
        self.files.close()
        if self._downloads is not None:
            self._downloads.cleanup()

    # --- documents ----------------------------------------------------------------------------------------------------

    @cached_property
    def receipt(self) -> dict[str, Any]:
        """The receipt, release.json (docs/reference/receipt.md)."""
        text = self.files.read("release.json", MAX_INDEX)
        receipt: dict[str, Any] = parsed(text, "release.json")
        fault = None if self._keys is None else signature_fault(exactly(text), self._keys, "share-release-receipt")
        if fault is not None:
            raise ReleaseFault(f"the release {fault}")
        if self._digest not in (None, receipt.get("releaseDigest")):
            raise ReleaseFault(f"this is release {receipt.get('releaseDigest')}, not {self._digest}")
        return receipt

    @property
    def is_signed(self) -> bool:
        """Whether one of the given keys signed the receipt. Without keys, it is not known."""
        return self._keys is not None and bool(self.receipt)

    @property
    def digest(self) -> str:
        """The release digest."""
        return str(self.receipt["releaseDigest"])

    @cached_property
    def manifest(self) -> list[dict[str, Any]]:
        """The lines of the manifest: path, bytes and sha256 of each file."""
        text = self.files.read("manifest.ndjson", MAX_INDEX)
        expected = self._manifest_digest or self.receipt.get("manifestDigest")
        if f"sha256:{hashlib.sha256(text).hexdigest()}" != expected:
            raise ReleaseFault(f"the manifest is of another release: its sha256 is not {expected}")
        lines = [parsed(line, "manifest.ndjson") for line in text.splitlines()]
        written = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)
        paths = [checked_path(line["path"]) for line in lines]
        if written.encode() != text or any(one >= other for one, other in zip(paths, paths[1:], strict=False)):
            raise ReleaseFault("the manifest is not in order, or not spelled as docs/adr/0002-release-digest.md says")
        return lines

    @cached_property
    def paths(self) -> dict[str, dict[str, Any]]:
        """The lines of the manifest by path."""
        return {line["path"]: line for line in self.manifest}

    def document(self, path: str) -> Any:
        """Returns a JSON document of the release, such as data/contracts.json."""
        if self._line(path)["bytes"] > MAX_DOCUMENT:
            raise ReleaseFault(f"{path} has more than {MAX_DOCUMENT} bytes, the limit for a document")
        return parsed(self.file(path).read_bytes(), path)

    def file(self, path: str) -> Path:
        """Returns a verified local copy of a file. It exists until the release is closed."""
        if path not in self._verified:
            line, target = self._line(path), None
            if isinstance(self.files, Folder):
                target = self.files.locate(path)
                found = sha256_of(self.files.chunks(path, line["bytes"]))
            else:
                target = self._target(path)
                found = sha256_of(read_chunks(target)) if target.is_file() else ""
                if found != line["sha256"]:
                    with target.open("wb") as out:
                        found = sha256_of(written(self.files.chunks(path, line["bytes"]), out))
            if found != line["sha256"]:
                raise ReleaseFault(f"{path}: its sha256 is {found}, but the manifest says {line['sha256']}")
            self._verified[path] = target
        return self._verified[path]

    def _target(self, path: str) -> Path:
        """Returns the local path of a download."""
        if self._cache is not None:
            # A cache can have files of many releases.
            target = self._cache / self._cache_name() / path
        else:
            self._downloads = self._downloads or tempfile.TemporaryDirectory(prefix="share-scores-")
            target = Path(self._downloads.name) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _cache_name(self) -> str:
        named = DIGEST.fullmatch(self.digest)
        if named is None:
            raise ReleaseFault(f"release.json has {self.digest[:80]!r}, which is not a release digest")
        return f"sha256-{named[1]}"

    def _line(self, path: str) -> dict[str, Any]:
        if path not in self.paths:
            raise NotFound(f"the release has no file {path}; manifest.ndjson lists all files")
        return self.paths[path]

    # --- tables -------------------------------------------------------------------------------------------------------

    @staticmethod
    def table_of(path: str) -> str | None:
        """Returns the table to which a path belongs."""
        named = TABLE.fullmatch(path)
        return named[1] if named else None

    @property
    def tables(self) -> list[str]:
        """The names of the tables (docs/reference/tables.md)."""
        return sorted({name for name in map(self.table_of, self.paths) if name})

    def parts(self, table: str) -> list[Path]:
        """Returns the verified Parquet files of a table, in order."""
        paths = [path for path in self.paths if self.table_of(path) == table]
        if not paths:
            raise NotFound(f"the release has no table {table}; it has {', '.join(self.tables)}")
        return [self.file(path) for path in paths]

    def table(self, name: str, columns: Sequence[str] | None = None) -> Rows:
        """Returns the rows of a table, with all columns or the given ones."""

        def schema() -> pa.Schema:
            own = pq.read_schema(self.parts(name)[0])
            return own if columns is None else pa.schema([own.field(column) for column in columns])

        def batches() -> Iterator[pa.RecordBatch]:
            for part in self.parts(name):
                with pq.ParquetFile(part) as file:
                    groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
                    if any(group.total_byte_size > MAX_ROW_GROUP for group in groups):
                        raise ReleaseFault(f"the table {name} has a row group of more than {MAX_ROW_GROUP} bytes")
                    for batch in file.iter_batches(BATCH, columns=columns):
                        yield batch if columns is None else batch.select(columns)

        return Rows(batches, schema)

    def contract(self, rubric: str = "2.0") -> dict[str, Any]:
        """Returns the contract of a public version: the 25 signals with their rules."""
        for each in self.receipt["rubrics"]:
            if each["version"] == rubric:
                return dict(self.document("data/contracts.json")[each["contract"]])
        versions = ", ".join(each["version"] for each in self.receipt["rubrics"])
        raise NotFound(f"the release has no scores under SHARE {rubric}; it has {versions}")

    def records(self, rubric: str = "2.0", columns: Sequence[str] | None = None) -> Rows:
        """Returns each record with its score and its 25 signals as states, in the order of ids.

        `columns` selects from the columns of `records` and `scores` and from S1 to E5. Reads one batch at a time.
        """
        fields = self._record_fields(rubric)
        chosen = list(fields) if columns is None else list(columns)
        unknown = [name for name in chosen if name not in fields]
        if unknown:
            raise ValueError(f"there is no column {unknown[0]!r}; see docs/reference/tables.md")
        schema = pa.schema([fields[name] for name in chosen])
        supported = supported_by(self.contract(rubric), self.document("data/pledges.json"))

        def batches() -> Iterator[pa.RecordBatch]:
            for record, score in self._joined(rubric, chosen):
                status = pc.fill_null(score.column("status"), "failed")
                score = score.append_column("score_status", status)
                masks = masks_of_batch(score, record.column("source"), supported)
                found = [
                    decoded(masks, SIGNALS.index(name))
                    if name in SIGNALS
                    else (record if name in record.schema.names else score).column(name)
                    for name in chosen
                ]
                yield pa.RecordBatch.from_arrays(found, schema=schema)

        return Rows(batches, lambda: schema)

    def score(self, contract: str | Path | dict[str, Any]) -> Rows:
        """Scores each record by a contract of your own: its path, or the contract as a dictionary.

        Returns `total` (0 to 100), `total_2_0`, `difference` and the states of its signals. It needs duckdb.
        Raises ContractRejected for a contract with a fault.
        """
        return own_contract.score(self, contract)

    def _record_fields(self, rubric: str) -> dict[str, pa.Field]:
        records, scores = (pq.read_schema(self.parts(name)[0]) for name in ("records", "scores"))
        own = [scores.field(name) for name in scores.names if name not in ("id", "rubric", "status", *MASKS)]
        own.append(scores.field("status").with_name("score_status"))
        own = [records.field(name) for name in records.names] + own
        return {field.name: field.with_nullable(True) for field in own + signal_fields(self.contract(rubric))}

    def _joined(self, rubric: str, chosen: list[str]) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
        """Yields batches of records, and of scores in the same order. Both tables are ordered by id."""
        records, scores = (pq.read_schema(self.parts(name)[0]).names for name in ("records", "scores"))
        wanted = ["id", "source"] + [name for name in records if name in chosen and name not in ("id", "source")]
        other = ["id", "rubric", "status", *MASKS] + [name for name in scores if name in chosen and name not in records]
        coming = self.table("scores", other).batches()
        held: pa.Table | None = None
        for batch in self.table("records", wanted).batches():
            if batch.num_rows == 0:
                continue
            last = batch.column("id")[-1].as_py()
            while held is None or held.num_rows == 0 or held.column("id")[-1].as_py() <= last:
                more = next(coming, None)
                if more is None:
                    break
                more = pa.Table.from_batches([more]).filter(pc.equal(more.column("rubric"), rubric))
                held = more if held is None else pa.concat_tables([held, more])
            if held is None:
                raise ReleaseFault("the table scores of the release has no rows")
            rows = pc.index_in(batch.column("id"), value_set=held.column("id").combine_chunks())
            taken = held.take(rows).combine_chunks().to_batches(max_chunksize=batch.num_rows)
            yield batch, taken[0]
            held = held.filter(pc.greater(held.column("id"), last))

    # --- pages --------------------------------------------------------------------------------------------------------

    def record(self, identifier: str, rubric: str = "2.0") -> dict[str, Any] | None:
        """Returns the page of one record by id or DOI, as the endpoint `/records/{id}` does, without a server."""
        if packs.ID.fullmatch(identifier):
            page = self.page(f"{rubric}/record", identifier)
            return None if page is None else parsed(page, identifier)
        doi = RESOLVER.sub("", identifier.strip()).lower()
        offset, start = packs.bucket_of(doi, self._line("lookup/doi.bin")["bytes"])
        for id in packs.ids_in(self.files.read_range("lookup/doi.bin", offset, packs.BUCKET), start):
            found = self.record(id, rubric)
            if found is not None and found.get("doi") == doi:
                return found
        return None

    def page(self, family: str, key: str) -> bytes | None:
        """Returns one page by range requests, or None if the release does not have it (docs/packs.md)."""
        pack = packs.pack_for(self.manifest, family, key)
        if pack is None:
            return None
        with packs.named(pack["path"]):
            return packs.find_page(
                lambda offset, length: self.files.read_range(pack["path"], offset, length), pack, key
            )

    def pages_in(self, pack: dict[str, Any]) -> Iterator[tuple[str, str, bytes]]:
        """Yields key, sha256 and bytes of every page of a pack, given by its line of the manifest."""
        with packs.named(pack["path"]), self.file(pack["path"]).open("rb") as file:

            def read(offset: int, length: int) -> bytes:
                file.seek(offset)
                return file.read(length)

            yield from packs.pages_in(read, pack["bytes"])

    def verify(self, memory: int = MEMORY) -> Verification:
        """Computes digests, scores, groups, figures and pages again, and returns every difference.

        `compared` and `not_compared` of the result say what it covers. Tables that would take more bytes than `memory`
        are not read.
        """
        return verify(self, memory)


def parsed(text: bytes, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise ReleaseFault(f"{name} is not JSON: {error}"[:200]) from error


def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(members)
    if len(named) < len(members):
        raise ValueError("an object has the same name twice")
    return named


def read_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(CHUNK), b"")


def written(chunks: Iterator[bytes], out: Any) -> Iterator[bytes]:
    for chunk in chunks:
        out.write(chunk)
        yield chunk
