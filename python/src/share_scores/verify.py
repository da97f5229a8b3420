"""Verifies a release: computes everything that follows from its evidence again, and compares."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from . import packs, parquet, validation
from . import pages as made_pages
from .aggregates import Row, Table, aggregates, joins
from .digests import digest_of, format_of, release_digest, sha256, table_root
from .errors import ReleaseFault, ShareError
from .files import Folder
from .scores import other_scores, scores

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from .release import Release

#: Tables with their keys and columns, files, and the inputs of one version of the program (docs/generator/python.ts).
REFERENCE: dict[str, Any] = json.loads(Path(__file__).with_name("reference.json").read_text("utf-8"))
TABLES: dict[str, Any] = REFERENCE["tables"]
#: Tables since format 3, a table of builds with further contracts, and a table that earlier releases do not have.
JOINED, FURTHER, LATER = {"affiliations", "funding"}, "contract-scores", "values"
#: Columns that need unpublished data (folded names, texts before cleaning), so they are read from the release.
TAKEN = {"researchers": {"slug", "orcid", "identity_basis"}, "institutions": {"reported_json", "label"}}
#: Bytes in memory of a row in Python and of each of its values, and the default limit for all tables.
ROW_BYTES, VALUE_BYTES, MEMORY = 300, 70, 8 << 30
#: Largest memory of a table: bytes for each byte of its files, and bytes in addition. Real tables take up to 200.
MAX_FOR_BYTE, MAX_BESIDE = 2000, 64 << 20

#: The steps of a verification in their order, with what they compare. A finding about files ends a verification.
STEPS = {
    "files": "files with the manifest, and with those that a release can have",
    "rules": "contracts, pledges, word lists and page format with those of this version",
    "tables": "columns, order, roots and joins of tables, and the release digest",
    "parquet": "statistics and filters of Parquet files",
    "scores": "scores, researchers and groups with the evidence",
    "counts": "counts of the receipt",
    "lookup": "the DOI look-up",
    "validation": "validation figures",
    "pages": "pages and badges with the tables",
}
#: Part of a release that is only compared if keys are given.
SIGNATURE = "signatures, and what only they prove: who published it, when, under which licence, and gates"
#: Parts of a release that no step compares.
NEVER = [
    "evidence with the payloads of the sources",
    SIGNATURE,
    "search terms, labels of institutions, history, changes, reports and descriptions of files",
]


@dataclass
class Verification:
    """The result of a verification: how many values were computed, every difference, and what was compared or not."""

    values: int = 0
    findings: list[str] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=lambda: [*STEPS.values(), *NEVER])

    @property
    def ok(self) -> bool:
        """Whether nothing differs in what was compared."""
        return not self.findings

    @property
    def summary(self) -> str:
        """One line: how many values differ, what was compared, and what was not."""
        compared, others = ("; ".join(each) or "nothing" for each in (self.compared, self.not_compared))
        count = f"{self.values} values, {len(self.findings)} of them differ"
        return f"{count}. Compared: {compared}. Not compared: {others}."

    def agree(self, name: str, stated: object, found: object) -> None:
        self.values += 1
        if stated != found:
            self.findings.append(f"{name}: the release says {str(stated)[:500]}, but {str(found)[:500]} was computed")

    def add(self, faults: Iterator[str]) -> None:
        self.findings += faults

    def done(self, step: str) -> None:
        self.not_compared.remove(STEPS[step])
        self.compared.append(STEPS[step])

    def signed(self) -> None:
        self.not_compared.remove(SIGNATURE)
        self.compared.append("the signature of the receipt with your keys")

    def skip(self, step: str, reason: str) -> None:
        self.not_compared[self.not_compared.index(STEPS[step])] = f"{STEPS[step]} ({reason})"


def verify(release: "Release", memory: int = MEMORY) -> Verification:
    """Returns every difference between a release and what its evidence gives. It reads the tables into memory."""
    try:
        import duckdb
    except ImportError as error:
        raise ShareError("A verification needs DuckDB. Install share-scores[duckdb].") from error
    result = Verification()
    unreadable = (LookupError, TypeError, ValueError, AttributeError, StopIteration, ArithmeticError)
    try:
        check_files(release, result)
        if not result.findings:
            check_content(release, result, memory)
    except (ShareError, *unreadable, RecursionError, MemoryError, OSError, duckdb.Error) as error:
        result.findings.append(f"the release cannot be read: {type(error).__name__}: {str(error)[:500]}")
    return result


# --- files and rules --------------------------------------------------------------------------------------------------


def tables_of(receipt: Row) -> list[str]:
    """Returns the tables that a release has."""
    own = set(TABLES) - (set() if format_of(receipt["content"]) > 2 else JOINED)
    own -= set() if receipt.get("alsoContracts") else {FURTHER}
    return sorted(own - (set() if LATER in receipt["content"]["tables"] else {LATER}))


def versions_of(receipt: Row) -> list[str]:
    return [each["version"] for each in receipt["rubrics"]]


def families_of(receipt: Row) -> set[str]:
    """Returns the families of pages that a release can have."""
    pages = [f"{version}/{name}" for version in versions_of(receipt) for name in ("record", "impact", "author")]
    badges = [f"2.0/{name}-badge" for name in ("dataset", "repository", "researcher")]
    return {"release", *pages, *badges}


def check_files(release: "Release", result: Verification) -> None:
    receipt = release.receipt
    if release.is_signed:
        result.signed()
    tables, families = tables_of(receipt), families_of(receipt)
    required = set(REFERENCE["files"]) | ({REFERENCE["history"]} if receipt["history"] else set())
    # Releases before format 3 have no word lists.
    earlier = {"data/vocabularies.json"} if format_of(receipt["content"]) < 3 else set()
    listed = {line["path"] for line in release.manifest}
    for path in sorted(listed):
        pack = packs.PACK.fullmatch(path)
        if path not in required and release.table_of(path) not in tables and not (pack and pack[1] in families):
            result.findings.append(f"{path} is in the manifest, but no release has such a file")
        try:
            release.file(path)
            result.values += 1
        except ShareError as error:
            result.findings.append(str(error))
    result.findings += [f"the manifest does not list {path}" for path in sorted(required - earlier - listed)]
    result.findings += [f"the release has no table {name}" for name in tables if name not in release.tables]
    if isinstance(release.files, Folder):
        folder = release.files.folder
        present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
        extra = present - listed - {"manifest.ndjson", "release.json", "share.duckdb"}
        # A server writes CSV files beside the tables. They are copies that the manifest does not list.
        copies = extra & {f"data/{name}.csv.gz" for name in tables}
        result.findings += [f"the manifest does not list {path}, which is there" for path in sorted(extra - copies)]
        result.not_compared += ["CSV files"] if copies else []
        result.not_compared += ["share.duckdb"] if "share.duckdb" in present else []
    else:
        result.not_compared.append("files that the host has and the manifest does not list")
    result.done("files")


def check_rules(release: "Release", contracts: Row, pledges: Row, result: Verification) -> None:
    receipt, inputs = release.receipt, release.receipt["content"]["inputs"]
    named = {f"contract {name}": digest_of(value) for name, value in contracts.items()}
    named |= {f"pledge {name}": digest_of(value) for name, value in pledges.items()}
    named |= {"asOf": receipt["asOf"], "withheld": receipt["withheld"]["digest"]}
    named |= {name: digest_of(receipt[name]) for name in ("enrichments", "policy") if name in receipt}
    if "data/vocabularies.json" in release.paths:
        words = {name: sha256(text) for name, text in release.document("data/vocabularies.json").items()}
        named["vocabularies"] = digest_of(words)
    # No document has the page format, and an earlier release has no word lists.
    for name in {*named, *inputs} - ({"pages", "vocabularies"} - named.keys()):
        result.agree(f"input {name}", inputs.get(name), named.get(name))
    for rubric in receipt["rubrics"]:
        result.agree(f"rubric {rubric['version']}", rubric["digest"], digest_of(contracts[rubric["contract"]]))
    result.agree("tables of the digest", sorted(receipt["content"]["tables"]), tables_of(receipt))
    if not is_known(receipt):
        result.skip("rules", f"this package knows those of version {REFERENCE['version']}")
        return
    own = {name: value for name, value in inputs.items() if name in REFERENCE["inputs"] or " " in name}
    for name in sorted({*own, *REFERENCE["inputs"]}):
        result.agree(f"{name} of version {REFERENCE['version']}", own.get(name), REFERENCE["inputs"].get(name))
    result.done("rules")


def is_known(receipt: Row) -> bool:
    """Whether the release was made by the version of the program whose rules this package knows."""
    return receipt["tool"]["version"] == REFERENCE["version"] and format_of(receipt["content"]) == 3


# --- tables -----------------------------------------------------------------------------------------------------------


def check_content(release: "Release", result: Verification, memory: int) -> None:
    import duckdb

    receipt, content = release.receipt, release.receipt["content"]
    contracts, pledges = release.document("data/contracts.json"), release.document("data/pledges.json")
    check_rules(release, contracts, pledges, result)
    check_sizes(release, memory)
    db = duckdb.connect(config={"memory_limit": f"{max(memory, 1 << 28) >> 20}MiB"})
    try:
        tables, roots = read_tables(release, db, memory, result)
        result.agree("table roots", content["tables"], roots)
        result.agree("releaseDigest", receipt["releaseDigest"], release_digest(content))
        for (_, id), row in tables["institutions"].items():
            # An earlier release has no exact text.
            if row.get("reported_json") is not None:
                result.agree(f"institutions ({id})", id, sha256(json.loads(row["reported_json"])))
        result.add(joins(tables))
        result.done("tables")
        check_parquet(release, result)
        check_scores(receipt, contracts, pledges, db, tables, result)
        result.done("scores")
        result.values += 1
        result.add(differing_counts(receipt, tables))
        result.done("counts")
        pairs = [(row["doi"], id) for (id,), row in tables["records"].items() if row["doi"] is not None]
        lookup = release.paths["lookup/doi.bin"]["sha256"]
        result.agree("lookup/doi.bin", lookup, sha256(packs.lookup_of(pairs)))
        result.done("lookup")
        stated = release.document("data/validation.json")
        found = validation.figures(db, receipt, contracts, pledges)
        result.values += 1
        result.add(f"validation{line}" for line in validation.differences("", stated, found))
        result.done("validation")
    finally:
        db.close()
    check_pages(release, contracts, pledges, tables, result)


def check_sizes(release: "Release", memory: int) -> None:
    """Raises ReleaseFault if tables would need too much memory. Reads only footers and headers of pages."""
    left = Allowance(memory)
    for name in tables_of(release.receipt):
        parts = release.parts(name)
        sizes = [parquet.size_of(part) for part in parts]
        row = ROW_BYTES + VALUE_BYTES * len(TABLES[name]["columns"])
        left.take(name, parts, sum(size.rows * row + size.bytes for size in sizes))


class Allowance:
    """The memory that tables may take: each in proportion to its files, and all of them together."""

    def __init__(self, memory: int) -> None:
        self.memory, self.taken = memory, 0

    def take(self, name: str, parts: list[Path], needed: int) -> None:
        """Raises ReleaseFault for a table that takes too much."""
        files = sum(part.stat().st_size for part in parts)
        if needed > MAX_FOR_BYTE * files + MAX_BESIDE:
            raise ReleaseFault(
                f"data/{name} has {files} bytes, but would take {needed} bytes of memory, too many for a table"
            )
        self.taken += needed
        if self.taken > self.memory:
            raise ReleaseFault(
                f"the tables take more than {self.memory / (1 << 30):g} GB of memory; "
                "if you expect a release of this size, allow more (--memory)"
            )


def check_parquet(release: "Release", result: Verification) -> None:
    is_duckdb = release.receipt["tool"]["engine"].startswith("DuckDB ")
    for name in tables_of(release.receipt):
        for part in release.parts(name):
            result.values += 1
            result.add(f"{name}: {fault}" for fault in parquet.faults(part, is_duckdb))
    result.done("parquet")
    if not is_duckdb:
        result.not_compared.append("page indexes of Parquet files, which only other engines write")


def read_tables(
    release: "Release", db: "DuckDBPyConnection", memory: int, result: Verification
) -> tuple[dict[str, Table], dict[str, str]]:
    """Returns the rows of each table by key, and its root. Makes a view of each table in DuckDB."""
    tables, roots = {}, {}
    is_current, texts = format_of(release.receipt["content"]) == 3, Allowance(memory)
    for name in tables_of(release.receipt):
        key, known, former = (TABLES[name][each] for each in ("key", "columns", "former"))
        parts = [str(path) for path in release.parts(name)]
        schemas = [pq.read_schema(path) for path in parts]
        own = parquet.columns_of(schemas[0])
        # Earlier releases have fewer columns, and some that are no longer written.
        expected = (
            known if is_current else {each: known.get(each, "varchar") for each in own if each in {*known, *former}}
        )
        for schema in schemas:
            stated, wanted = list(parquet.columns_of(schema).items()), list(expected.items())
            others = [each for each in stated if each not in wanted] + [each for each in wanted if each not in stated]
            result.values += 1
            if stated != wanted:
                result.findings.append(f"the table {name}: columns are missing, unknown or in another order: {others}")
            result.agree(f"metadata of {name}", schema.metadata, None)
        columns = list(own)
        relation = f"read_parquet([{', '.join(quoted(path) for path in parts)}])"
        db.execute(f'create view "{name}" as select * from {relation}')
        # Many rows can repeat a text that the file has once.
        wide = [f"coalesce(sum(strlen({quoted_name(each)})), 0)" for each in columns if own[each] == "varchar"]
        [lengths] = db.execute(f'select {", ".join(wide)} from "{name}"').fetchall()
        texts.take(name, release.parts(name), sum(map(int, lengths)))
        rows = db.execute(f'select * from "{name}"').fetchall()
        roots[name] = table_root(rows, columns, key)
        named = (dict(zip(columns, row, strict=True)) for row in rows)
        keyed = [(tuple(row[each] for each in key), row) for row in named]
        if any(one[0] >= other[0] for one, other in zip(keyed, keyed[1:], strict=False)):
            result.findings.append(f"the table {name}: rows are not in the order of their key")
        tables[name] = dict(keyed)
    return tables, roots


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted_name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def check_scores(
    receipt: Any,
    contracts: Any,
    pledges: Any,
    db: "DuckDBPyConnection",
    tables: dict[str, Table],
    result: Verification,
) -> None:
    score = scores(db, contracts, pledges, receipt)
    made: dict[str, Any] = {"scores": score}
    made.update(aggregates(tables, score, versions_of(receipt)))
    if receipt.get("alsoContracts"):
        made["contract-scores"] = other_scores(db, contracts, pledges, receipt)
    for table, found in made.items():
        taken = {*TABLES[table]["key"], *TAKEN.get(table, ())}
        result.values += sum(len(row.keys() - taken) for row in tables[table].values())
        result.add(differing(table, tables[table], found, taken))


def differing_counts(receipt: Row, tables: dict[str, Table]) -> Iterator[str]:
    """Compares the counts of the receipt with the tables, for each source and altogether."""
    made: dict[str, Counter[str]] = {each["source"]: Counter() for each in receipt["sources"]}
    version = receipt["rubrics"][0]["version"]
    for (id,), row in tables["records"].items():
        score = tables["scores"].get((id, version))
        state = "failed" if score is None else "insufficient" if score["total"] is None else "scored"
        made.setdefault(row["source"], Counter())[state] += 1
    unlisted = [(row["identifier"], row["kind"]) for row in tables["unlisted"].values()]
    aliases = [(row["alias_identifier"], "duplicate") for row in tables["aliases"].values()]
    names = {"tombstone": "tombstones", "not_dataset": "notDataset", "duplicate": "duplicates"}
    for identifier, kind in unlisted + aliases:
        made.setdefault(identifier.split("/")[0], Counter())[names[kind]] += 1
    counted = ("scored", "insufficient", "failed", *names.values())
    stated = {each["source"]: each["coverage"] for each in receipt["sources"]}
    whole: Counter[str] = sum(made.values(), Counter())
    yield from unequal("coverage", receipt["coverage"], whole, counted)
    for source, own in made.items():
        yield from unequal(f"coverage of {source}", stated.get(source, {}), own, counted)
    for name, coverage in (("coverage", receipt["coverage"]), *stated.items()):
        parts = sum(count for each, count in coverage.items() if each != "harvested")
        yield from unequal(f"{name}", coverage, {"harvested": parts}, ["harvested"])
    for name in ("superseded", "harvested"):
        together = sum(coverage[name] for coverage in stated.values())
        yield from unequal("coverage", receipt["coverage"], {name: together}, [name])
    for rubric in receipt["rubrics"]:
        own_rows = [row for (_, version), row in tables["scores"].items() if version == rubric["version"]]
        count = sum(1 for row in own_rows if row["total"] is None)
        yield from unequal(f"rubric {rubric['version']}", rubric, {"insufficient": count}, ["insufficient"])
    if receipt["attribution"] is not None:
        yield from unequal("attribution", flat(receipt["attribution"]), attribution(tables), attribution(tables))


def unequal(name: str, stated: Row, found: Any, fields: Any) -> Iterator[str]:
    for each in fields:
        if each in stated and stated[each] != found[each]:
            yield f"{name}.{each}: the release says {stated[each]}, but {found[each]} was computed"
        if each not in stated and found[each]:
            yield f"{name}.{each}: the release does not have it, but {found[each]} was computed"


def flat(attribution: Row) -> Row:
    return {**attribution, **attribution.get("byBasis", {})}


def attribution(tables: dict[str, Table]) -> Row:
    """Counts records by the strongest basis of their countries, such as `ror`, and the others by what they lack."""
    bases = ("ror", "field", "text", "region")
    strongest: dict[str, int] = {}
    for row in tables["attributions"].values():
        rank = len(bases) if row["country_code"] is None else bases.index(row["country_basis"])
        strongest[row["id"]] = min(rank, strongest.get(row["id"], rank))
    counts = Counter(strongest.values())
    records, known = len(tables["records"]), sum(counts[place] for place in range(len(bases)))
    return {
        "records": records,
        "attributed": known,
        "unattributed": records - known,
        **{basis: counts[place] for place, basis in enumerate(bases)},
        "withoutAffiliation": records - len(strongest),
        "withoutCountry": counts[len(bases)],
    }


def hundredths(value: Any) -> Any:
    return int(value.scaleb(2)) if hasattr(value, "scaleb") else value


def differing(table: str, stated: Table, found: Table, taken: set[str]) -> Iterator[str]:
    """Yields a line for each difference between a table of the release and the computed one."""
    for key in sorted({*stated, *found}, key=str):
        if key not in stated or key not in found:
            yield f"{table} {key}: {'the release lacks' if key not in stated else 'nothing gives'} this row"
            continue
        for column, value in stated[key].items():
            if column in taken:
                continue
            value, own = hundredths(value), found[key].get(column)
            if own != value:
                yield f"{table} {key} {column}: the release says {value}, but {own} was computed"


# --- pages ------------------------------------------------------------------------------------------------------------


def check_pages(
    release: "Release", contracts: Row, pledges: Row, tables: dict[str, Table], result: Verification
) -> None:
    """Compares the pages of each family with the tables, and their root with the receipt."""
    receipt = release.receipt
    is_known_format = is_known(receipt) and receipt["content"]["inputs"].get("pages") == REFERENCE["inputs"]["pages"]
    roots, shown = {}, {}
    for rubric in receipt["rubrics"]:
        version = rubric["version"]
        shown[version] = made_pages.Pages(version, contracts[rubric["contract"]], pledges, tables, receipt)
    for family in sorted({found[1] for line in release.manifest if (found := packs.PACK.fullmatch(line["path"]))}):
        check = made_pages.FamilyCheck(family, shown, contracts) if is_known_format else None
        root = packs.PagesRoot()
        for line in release.manifest:
            pack = packs.PACK.fullmatch(line["path"])
            if pack is None or pack[1] != family:
                continue
            for key, sha, text in release.pages_in(line):
                root.add(key, sha, pack[2] or "")
                result.values += 1
                if check is not None:
                    result.add(check.differences(key, text))
        if check is not None:
            result.add(check.missing())
        if family != "release":
            roots[family] = root.digest()
    result.agree("page roots", receipt["content"].get("pages", roots), roots)
    if is_known_format:
        result.done("pages")
        result.not_compared += made_pages.NOT_COMPARED
    else:
        result.skip("pages", "of another version; only their roots were compared")
