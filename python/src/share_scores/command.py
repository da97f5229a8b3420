"""The command `share-scores`."""

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from .client import MAX_LOOKED_UP, Client
from .errors import ShareError
from .release import Release
from .signatures import read_keys
from .verify import MEMORY

MAX_LINES = 40

#: Matches a text that a spreadsheet would run as a formula, also behind spaces and in full-width forms.
FORMULA = r"^(?:[\t\r\n]|[\s\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫])"


def opened(options: argparse.Namespace) -> Release:
    return Release(
        options.release,
        digest=options.digest,
        manifest_digest=options.manifest_digest,
        keys=None if options.keys is None else read_keys(options.keys),
        allow_older=options.allow_older,
        cache=options.cache,
    )


def verify(options: argparse.Namespace) -> int:
    with opened(options) as release:
        result = release.verify(int(options.memory * (1 << 30)))
    for line in result.findings[:MAX_LINES]:
        print(line)
    if len(result.findings) > MAX_LINES:
        print(f"and {len(result.findings) - MAX_LINES} more")
    print(result.summary)
    return 0 if result.ok else 1


def page(options: argparse.Namespace) -> int:
    with opened(options) as release:
        text = release.page(options.family, options.key)
    if text is None:
        raise ShareError(f"the release has no page {options.key} in {options.family}; docs/packs.md lists the families")
    sys.stdout.buffer.write(text)
    return 0


def export(options: argparse.Namespace) -> int:
    """Writes records with their scores and states to a Parquet or CSV file."""
    target = Path(options.out)
    if target.suffix not in (".parquet", ".csv"):
        raise ShareError(f"{target} must end with .parquet or .csv")
    part = target.with_name(target.name + ".part")
    with opened(options) as release:
        reader = release.records(options.rubric, options.columns and options.columns.split(",")).to_reader()
        if target.suffix == ".parquet":
            with pq.ParquetWriter(part, reader.schema, compression="zstd") as file:
                for batch in reader:
                    file.write_batch(batch)
        else:
            plain = pa.schema([field.with_type(plain_type(field.type)) for field in reader.schema])
            with pyarrow.csv.CSVWriter(part, plain) as file:
                for batch in reader:
                    file.write_table(guarded(pa.Table.from_batches([batch]).cast(plain)))
    part.replace(target)
    return 0


def plain_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def guarded(table: pa.Table) -> pa.Table:
    """Returns the table with an apostrophe before each text that a spreadsheet would run as a formula."""
    for at, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            column = table.column(at)
            marked = pc.binary_join_element_wise("'", column, "")
            table = table.set_column(at, field, pc.if_else(pc.match_substring_regex(column, FORMULA), marked, column))
    return table


def lookup(options: argparse.Namespace) -> int:
    """Writes a line of CSV for each identifier. Looks up a thousand at a time, and then writes their lines."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["identifier", "reason", "id", "doi", "repository", "title", "total"])
    with Client(options.url, api_key=options.api_key) as client, open_list(options.list) as lines:
        coming = identifiers(lines)
        while own := list(islice(coming, MAX_LOOKED_UP)):
            for row in client.lookup(own):
                out.writerow(cells(row))
            sys.stdout.flush()
    return 0


def cells(row: dict[str, Any]) -> list[Any]:
    record = row["record"] or {}
    own = [record.get(name) for name in ("id", "doi", "repository", "title", "shareScore")]
    return [safe(value) for value in (row["identifier"], row["reason"], *own)]


def safe(value: Any) -> Any:
    """Puts an apostrophe before a text that a spreadsheet would run as a formula."""
    is_run = isinstance(value, str) and pc.match_substring_regex(pa.scalar(value), FORMULA).as_py()
    return "'" + value if is_run else value


def open_list(path: str) -> Any:
    return sys.stdin if path == "-" else Path(path).open(encoding="utf-8-sig", newline="")  # noqa: SIM115


def identifiers(lines: Iterable[str]) -> Iterator[str]:
    """Yields the first column of plain lines, or the column `doi`, `identifier` or `id` of CSV with a header."""
    rows = csv.reader(lines)
    first = next(rows, [])
    named = [name.strip().lower() for name in first]
    column = next((named.index(name) for name in ("doi", "identifier", "id") if name in named), None)
    if column is None and first and first[0].strip():
        yield first[0].strip()
    for row in rows:
        if len(row) > (column or 0) and row[column or 0].strip():
            yield row[column or 0].strip()


def parser() -> argparse.ArgumentParser:
    main = argparse.ArgumentParser(prog="share-scores", description="Read and verify SHARE scores of datasets.")
    commands = main.add_subparsers(required=True, metavar="COMMAND")
    of_release = argparse.ArgumentParser(add_help=False)
    of_release.add_argument("release", help="folder or URL of a release")
    of_release.add_argument("--digest", help="release digest that you expect")
    of_release.add_argument("--manifest-digest", help="sha256 of the manifest, from a channel that you trust")
    # The command `page` has an argument called `key`, so this option is stored as `keys`.
    of_release.add_argument(
        "--key", dest="keys", metavar="KEY", help="file of public keys that you trust: one must have signed the release"
    )
    of_release.add_argument(
        "--allow-older", action="store_true", help="accept a head that is missing, expired or older"
    )
    of_release.add_argument("--cache", help="folder for downloaded files, so that a repeated command resumes")
    one = commands.add_parser("verify", parents=[of_release], help="recompute a release, and report every difference")
    one.add_argument("--memory", type=float, default=MEMORY / (1 << 30), metavar="GB", help="memory for tables (8)")
    one.set_defaults(run=verify)
    one = commands.add_parser("export", parents=[of_release], help="write records with scores and states to a file")
    one.add_argument("--out", required=True, help="file that ends with .parquet or .csv")
    one.add_argument("--rubric", default="2.0", help="public version of the scores")
    one.add_argument("--columns", help="names of columns, separated by commas")
    one.set_defaults(run=export)
    one = commands.add_parser("page", parents=[of_release], help="print one page of a release")
    one.add_argument("family", help="such as 2.0/record")
    one.add_argument("key", help="such as the id of a record")
    one.set_defaults(run=page)
    one = commands.add_parser("lookup", help="look up a list of identifiers at a server, and print CSV")
    one.add_argument("url", help="URL of a server")
    one.add_argument(
        "--list", default="-", help="lines or CSV with a column doi, identifier or id; - is standard input"
    )
    one.add_argument("--api-key", help="key for the server")
    one.set_defaults(run=lookup)
    return main


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (ShareError, ValueError, OSError) as error:
        print(f"share-scores: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
