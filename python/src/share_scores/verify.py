"""Verifies a release: computes everything that follows from its evidence again, and compares."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from . import packs, validation
from .aggregates import Table, aggregates, joins
from .digests import digest_of, release_digest, sha256, table_root
from .errors import ShareError
from .files import Folder
from .scores import other_scores, scores

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .release import Release

#: Columns that need unpublished data (folded names, texts before cleaning), so they are read from the release.
TAKEN = {"researchers": {"slug", "orcid", "identity_basis"}, "institutions": {"reported_json", "label"}}
#: Files of every release beside its tables and packs (docs/data-guide.md).
DOCUMENTS = [
    "CITATION.cff",
    "croissant.json",
    "data/contracts.json",
    "data/diff.json",
    "data/pledges.json",
    "data/vocabularies.json",
    "datapackage.json",
    "lookup/doi.bin",
    "report.html",
    "ro-crate-metadata.json",
]


@dataclass
class Verification:
    """The result of a verification: the number of computed values, and a line for each difference."""

    values: int = 0
    findings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.findings

    def agree(self, name: str, stated: object, found: object) -> None:
        self.values += 1
        if stated != found:
            self.findings.append(f"{name}: the release says {stated}, it is {found}")


def verify(release: "Release") -> Verification:
    """Returns every difference between a release and what its evidence gives. It reads the tables into memory."""
    try:
        import duckdb
    except ImportError as error:
        raise ShareError("A verification needs DuckDB. Install share-scores[duckdb].") from error
    result = Verification()
    try:
        check_files(release, result)
        if not result.findings:
            check_content(release, result)
    except (ShareError, LookupError, TypeError, ValueError, AttributeError, StopIteration, duckdb.Error) as error:
        result.findings.append(f"the release cannot be read: {type(error).__name__}: {error}")
    return result


def check_files(release: "Release", result: Verification) -> None:
    for line in release.manifest:
        try:
            release.file(line["path"])
            result.values += 1
        except ShareError as error:
            result.findings.append(str(error))
    listed = {line["path"] for line in release.manifest}
    result.findings += [f"{path} is not in the manifest" for path in DOCUMENTS if path not in listed]
    if isinstance(release.files, Folder):
        present = {path.relative_to(release.files.folder).as_posix() for path in release.files.folder.rglob("*.*")}
        known = listed | {"manifest.ndjson", "release.json", "share.duckdb"}
        # A server writes CSV files beside the tables. They are copies that the manifest does not list.
        extra = {path for path in present - known if not path.endswith(".csv.gz")}
        extra = {path for path in extra if (release.files.folder / path).is_file()}
        result.findings += [f"{path} is not in the manifest" for path in sorted(extra)]


def check_content(release: "Release", result: Verification) -> None:
    import duckdb

    receipt, content = release.receipt, release.receipt["content"]
    contracts, pledges = release.document("data/contracts.json"), release.document("data/pledges.json")
    check_inputs(release, contracts, pledges, result)
    check_pages(release, result)
    db = duckdb.connect()
    try:
        keys, tables, roots = read_tables(release, db, result)
        result.agree("table roots", content["tables"], roots)
        result.agree("releaseDigest", receipt["releaseDigest"], release_digest(content))
        for (_, id), row in tables["institutions"].items():
            # An earlier release has no exact text.
            if row.get("reported_json") is not None:
                result.agree(f"institutions ({id})", id, sha256(json.loads(row["reported_json"])))
        result.findings += joins(tables)
        pairs = [(row["doi"], id) for (id,), row in tables["records"].items() if row["doi"] is not None]
        lookup = sha256(release.file("lookup/doi.bin").read_bytes())
        result.agree("lookup/doi.bin", lookup, sha256(packs.lookup_of(pairs)))
        check_scores(receipt, contracts, pledges, db, keys, tables, result)
        if "data/validation.json" in release.paths:
            stated = release.document("data/validation.json")
            found = validation.figures(db, receipt, contracts, pledges)
            result.findings += (f"validation{line}" for line in validation.differences("", stated, found))
    finally:
        db.close()


def check_inputs(release: "Release", contracts: Any, pledges: Any, result: Verification) -> None:
    receipt, inputs = release.receipt, release.receipt["content"]["inputs"]
    for kind, named in (("contract", contracts), ("pledge", pledges)):
        for name, value in named.items():
            result.agree(f"{kind} {name}", inputs.get(f"{kind} {name}"), digest_of(value))
    for rubric in receipt["rubrics"]:
        result.agree(f"rubric {rubric['version']}", rubric["digest"], digest_of(contracts[rubric["contract"]]))
    for name in ("enrichments", "policy"):
        result.agree(name, inputs[name], digest_of(receipt[name]))
    result.agree("asOf", inputs["asOf"], receipt["asOf"])
    result.agree("withheld", inputs["withheld"], receipt["withheld"]["digest"])
    words = {name: sha256(text) for name, text in release.document("data/vocabularies.json").items()}
    result.agree("vocabularies", inputs["vocabularies"], digest_of(words))


def check_pages(release: "Release", result: Verification) -> None:
    """Compares the root over the pages of each family with the receipt."""
    families: dict[str, list[dict[str, Any]]] = {}
    for line in release.manifest:
        named = packs.PACK.fullmatch(line["path"])
        if named:
            families.setdefault(named[1], []).append(line)
    roots = {}
    for family, lines in families.items():
        if family != "release":
            roots[family] = packs.root_over_pages(page for line in lines for page in release.pages_in(line))
    result.agree("page roots", release.receipt["content"].get("pages", roots), roots)


def read_tables(
    release: "Release", db: "DuckDBPyConnection", result: Verification
) -> tuple[dict[str, list[str]], dict[str, Table], dict[str, str]]:
    """Returns the key, the rows by key, and the root of each table, and makes a view of each."""
    keys, tables, roots = {}, {}, {}
    for resource in release.document("datapackage.json")["resources"]:
        name = release.table_of(resource["path"])
        if name is None or name in keys:
            continue
        key, columns = resource["schema"]["primaryKey"], [each["name"] for each in resource["schema"]["fields"]]
        parts = [str(path) for path in release.parts(name)]
        for path in parts:
            schema = pq.read_schema(path)
            result.agree(f"columns of {name}", columns, schema.names)
            result.agree(f"metadata of {name}", None, schema.metadata)
        relation = f"read_parquet([{', '.join(quoted(path) for path in parts)}])"
        db.execute(f'create view "{name}" as select * from {relation}')
        rows = db.execute(f'select * from "{name}"').fetchall()
        roots[name] = table_root(rows, columns, key)
        own = [
            (tuple(row[each] for each in key), row) for row in (dict(zip(columns, row, strict=True)) for row in rows)
        ]
        if any(one[0] >= other[0] for one, other in zip(own, own[1:], strict=False)):
            result.findings.append(f"{name}: rows are not in the order of their key")
        keys[name], tables[name] = key, dict(own)
    return keys, tables, roots


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def check_scores(
    receipt: Any,
    contracts: Any,
    pledges: Any,
    db: "DuckDBPyConnection",
    keys: dict[str, list[str]],
    tables: dict[str, Table],
    result: Verification,
) -> None:
    score = scores(db, contracts, pledges, receipt)
    made: dict[str, Any] = {"scores": score}
    made.update(aggregates(tables, score, [each["version"] for each in receipt["rubrics"]]))
    if receipt.get("alsoContracts"):
        made["contract-scores"] = other_scores(db, contracts, pledges, receipt)
    elif "contract-scores" in tables:
        result.findings.append("contract-scores: the receipt lists no other contracts")
    for table, found in made.items():
        taken = {*keys[table], *TAKEN.get(table, ())}
        result.values += sum(len(row.keys() - taken) for row in tables[table].values())
        result.findings += differing(table, tables[table], found, taken)
    result.findings += differing_counts(receipt, tables)


def differing_counts(receipt: Any, tables: dict[str, Table]) -> Iterator[str]:
    """Compares the counts of the receipt with the records."""
    version = receipt["rubrics"][0]["version"]
    own = [row for (_, rubric), row in tables["scores"].items() if rubric == version]
    scored = sum(1 for row in own if row["total"] is not None)
    counts = {"scored": scored, "insufficient": len(own) - scored}
    unlisted = [row["kind"] for row in tables["unlisted"].values()]
    counts["tombstones"], counts["notDataset"] = unlisted.count("tombstone"), unlisted.count("not_dataset")
    for name, count in counts.items():
        if receipt["coverage"][name] != count:
            yield f"coverage.{name}: the release says {receipt['coverage'][name]}, it is {count}"


def hundredths(value: Any) -> Any:
    return int(value.scaleb(2)) if hasattr(value, "scaleb") else value


def differing(table: str, stated: Table, found: Table, taken: set[str]) -> Iterator[str]:
    """Yields a line for each difference between a table of the release and the computed one."""
    for key in sorted({*stated, *found}, key=str):
        if key not in stated or key not in found:
            yield f"{table} {key}: {'is not there' if key not in stated else 'follows from nothing'}"
            continue
        for column, value in stated[key].items():
            if column in taken:
                continue
            value, own = hundredths(value), found[key].get(column)
            if own != value:
                yield f"{table} {key} {column}: the release says {value}, it is {own}"
