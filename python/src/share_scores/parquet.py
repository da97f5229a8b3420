"""Checks Parquet files: their sizes before rows are read, their columns, and whether statistics and filters are true.

Readers skip rows by statistics and Bloom filters, so a false one hides rows. The footer is read as Thrift, because
pyarrow does not show everything that a reader may use.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .errors import ReleaseFault

MAX_FOOTER = 64 << 20
#: Rows of a row group (docs/adr/0002-release-digest.md).
GROUP_ROWS = 65_536
#: Bytes of a decompressed page, far above any release.
MAX_PAGE = 256 << 20
MAX_PAGE_HEADER = 64 << 10
MAX_FILTER = 16 << 20
#: Fields of the Thrift structures, by id, in files of DuckDB. Others, such as page indexes, could mislead readers too.
FILE_FIELDS = {1, 2, 3, 4, 6, 7}
GROUP_FIELDS = {1, 2, 3, 5, 6, 7}
CHUNK_FIELDS = {2, 3}
COLUMN_FIELDS = {1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15}
STATISTICS_FIELDS = {1, 2, 3, 4, 5, 6, 7, 8}
TYPES = {
    pa.string(): "varchar",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.bool_(): "boolean",
    pa.decimal128(18, 2): "decimal(18,2)",
}


def columns_of(schema: pa.Schema) -> dict[str, str]:
    """Returns the columns with their types, as docs/reference/tables.md names these."""
    return {field.name: TYPES.get(field.type, str(field.type)) for field in schema}


@dataclass(frozen=True)
class Size:
    """The size of a file by its footer and the headers of its pages, which say how much a reader decompresses."""

    rows: int
    bytes: int


def size_of(path: Path) -> Size:
    """Returns the size of a file before anything is decompressed. Raises ReleaseFault for one that no release has."""
    footer = raw_footer(path)
    groups = footer[4]
    if any(not 0 <= group[3] <= GROUP_ROWS for group in groups) or sum(group[3] for group in groups) != footer[3]:
        raise ReleaseFault(f"{path.name} has a row group of more than {GROUP_ROWS} rows, or a false number of rows")
    chunks = [chunk[3] for group in groups for chunk in group[1]]
    with path.open("rb") as file:
        return Size(footer[3], sum(inflated for chunk in chunks for inflated in pages_of(file, chunk, path.name)))


def pages_of(file: BinaryIO, chunk: dict[int, Any], name: str) -> Iterator[int]:
    """Yields the decompressed size of each page of a column. The pages of a column follow each other."""
    at = min(chunk[place] for place in (9, 11) if chunk.get(place, 0) > 0)
    end = at + chunk[7]
    while at < end:
        file.seek(at)
        reader = Thrift(file.read(MAX_PAGE_HEADER))
        header = reader.struct()
        if not (0 <= header[2] <= MAX_PAGE and 0 <= header[3] <= end - at - reader.at):
            raise ReleaseFault(f"{name} has a page of {header[2]} bytes, or one that is outside its column")
        yield header[2]
        at += reader.at + header[3]


def faults(path: Path, strict: bool) -> Iterator[str]:
    """Yields a line for each statistic or filter that hides rows. `strict` allows only fields that DuckDB writes."""
    structure = raw_footer(path)
    if strict:
        yield from unknown_fields(structure)
    # A text that many rows repeat is in memory once.
    texts = [field.name for field in pq.read_schema(path) if pa.types.is_string(field.type)]
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        for place, group in enumerate(structure[4]):
            for column, chunk in enumerate(group[1]):
                name = file.schema_arrow.names[column]
                values = pa.chunked_array(file.read_row_group(place, columns=[name]).column(0))
                for fault in chunk_faults(path, chunk[3], values):
                    yield f"column {name}, row group {place}: {fault}"


def chunk_faults(path: Path, chunk: dict[int, Any], values: pa.ChunkedArray) -> Iterator[str]:
    statistics = chunk.get(12, {})
    if chunk[5] != len(values) or statistics.get(3, values.null_count) != values.null_count:
        yield "the number of values or of nulls is false"
    distinct = sorted({plain(each) for each in pc.unique(values).to_pylist() if each is not None})
    # Fields 1 and 2 are for old readers. DuckDB writes the same values into both pairs.
    for field, is_largest in ((5, True), (1, True), (6, False), (2, False)):
        if field in statistics:
            stated = decoded(statistics[field], chunk[1])
            if not distinct or (stated < distinct[-1] if is_largest else stated > distinct[0]):
                yield f"the statistics have a false {'largest' if is_largest else 'smallest'} value"
    if 14 in chunk:
        bits = filter_of(path, chunk[14])
        if not all(contains(bits, encoded(each, chunk[1])) for each in distinct):
            yield "the Bloom filter leaves out a value"


def plain(value: Any) -> bytes | int:
    """Returns a value as Parquet orders it: bytes of a text, or a whole number. A decimal is its hundredths."""
    if isinstance(value, str):
        return value.encode()
    return int(value.scaleb(2)) if hasattr(value, "scaleb") else int(value)


#: Bytes of a whole number by the physical type of its column: BOOLEAN, INT32, INT64.
WIDTHS = {0: 1, 1: 4, 2: 8}


def encoded(value: Any, type: int) -> bytes:
    return value if isinstance(value, bytes) else value.to_bytes(WIDTHS[type], "little", signed=type > 0)


def decoded(block: bytes, type: int) -> Any:
    return int.from_bytes(block, "little", signed=type > 0) if type in WIDTHS else block


# --- Thrift, the compact protocol -------------------------------------------------------------------------------------


class Thrift:
    """Reads structures as {field id: value}."""

    def __init__(self, block: bytes) -> None:
        self.block, self.at = block, 0

    def byte(self) -> int:
        self.at += 1
        if self.at > len(self.block):
            raise ReleaseFault("a footer or page header of a Parquet file ends too early")
        return self.block[self.at - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def number(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def binary(self) -> bytes:
        size = self.varint()
        self.at += size
        if self.at > len(self.block):
            raise ReleaseFault("a footer or page header of a Parquet file ends too early")
        return self.block[self.at - size : self.at]

    def value(self, kind: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind in (9, 10):
            head = self.byte()
            size = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.element(head & 15) for _ in range(min(size, len(self.block)))]
        if kind in (3, 4, 5, 6, 8, 12):
            return {3: self.byte, 8: self.binary, 12: self.struct}.get(kind, self.number)()
        raise ReleaseFault(f"a footer or page header of a Parquet file has a value of the unknown kind {kind}")

    def element(self, kind: int) -> Any:
        return self.byte() == 1 if kind in (1, 2) else self.value(kind)

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        id = 0
        while head := self.byte():
            id = id + (head >> 4) if head >> 4 else self.number()
            fields[id] = self.value(head & 15)
        return fields


def raw_footer(path: Path) -> dict[int, Any]:
    with path.open("rb") as file:
        end = max(0, file.seek(0, 2) - 8)
        file.seek(end)
        length = int.from_bytes(file.read(4), "little")
        if length > min(end, MAX_FOOTER):
            raise ReleaseFault(f"{path.name} is not a Parquet file, or has a footer of more than {MAX_FOOTER} bytes")
        file.seek(end - length)
        return Thrift(file.read(length)).struct()


def unknown_fields(footer: dict[int, Any]) -> Iterator[str]:
    chunks = [chunk for group in footer[4] for chunk in group[1]]
    for name, known, structures in (
        ("the footer", FILE_FIELDS, [footer]),
        ("a row group", GROUP_FIELDS, footer[4]),
        ("a column", CHUNK_FIELDS, chunks),
        ("a column", COLUMN_FIELDS, [chunk[3] for chunk in chunks]),
        ("statistics", STATISTICS_FIELDS, [chunk[3].get(12, {}) for chunk in chunks]),
    ):
        unknown = {id for structure in structures for id in structure} - known
        if unknown:
            yield f"{name} has fields that no release has: {sorted(unknown)}"


# --- Bloom filters ----------------------------------------------------------------------------------------------------

SALT = [0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31]


def filter_of(path: Path, offset: int) -> bytes:
    """Returns the bits of a Bloom filter."""
    with path.open("rb") as file:
        file.seek(offset)
        block = file.read(64)
        header = Thrift(block)
        fields = header.struct()
        if not 0 < fields[1] <= MAX_FILTER or fields[1] % 32:
            raise ReleaseFault(
                f"{path.name} has a Bloom filter of {fields[1]} bytes, not a multiple of 32 up to {MAX_FILTER}"
            )
        file.seek(offset + header.at)
        return file.read(fields[1])


def contains(bits: bytes, value: bytes) -> bool:
    hashed = xxh64(value)
    block = 32 * ((hashed >> 32) * (len(bits) // 32) >> 32)
    key = hashed & 0xFFFFFFFF
    return all(
        bits[block + 4 * i + (bit >> 3)] >> (bit & 7) & 1
        for i, bit in enumerate((key * salt & 0xFFFFFFFF) >> 27 for salt in SALT)
    )


P1, P2, P3, P4, P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
WORD = (1 << 64) - 1


def turned(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & WORD


def rounded(sum: int, word: int) -> int:
    return turned((sum + word * P2) & WORD, 31) * P1 & WORD


def xxh64(block: bytes) -> int:
    """Returns the XXH64 hash with the seed 0, as the Parquet format defines it for Bloom filters."""
    size, at = len(block), 0
    if size >= 32:
        sums = [(P1 + P2) & WORD, P2, 0, -P1 & WORD]
        while at <= size - 32:
            for i in range(4):
                sums[i] = rounded(sums[i], int.from_bytes(block[at : at + 8], "little"))
                at += 8
        value = sum(turned(each, by) for each, by in zip(sums, (1, 7, 12, 18), strict=True)) & WORD
        for each in sums:
            value = ((value ^ rounded(0, each)) * P1 + P4) & WORD
    else:
        value = P5
    value = (value + size) & WORD
    while at <= size - 8:
        value = (turned(value ^ rounded(0, int.from_bytes(block[at : at + 8], "little")), 27) * P1 + P4) & WORD
        at += 8
    if at <= size - 4:
        value = (turned(value ^ int.from_bytes(block[at : at + 4], "little") * P1 & WORD, 23) * P2 + P3) & WORD
        at += 4
    for byte in block[at:]:
        value = turned(value ^ byte * P5 & WORD, 11) * P1 & WORD
    value = (value ^ value >> 33) * P2 & WORD
    value = (value ^ value >> 29) * P3 & WORD
    return value ^ value >> 32
