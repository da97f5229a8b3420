"""Scores from evidence: the rules of a contract and the pledges of the sources (docs/method.md, "Six states")."""

import re
from typing import TYPE_CHECKING, Any

from .errors import ReleaseFault
from .signals import BUCKETS, SIGNALS, supported_by

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Json = dict[str, Any]
#: Supported, evaluable, passed, source missing and failed.
Masks = tuple[int, int, int, int, int]


#: Words of a predicate that are not columns.
WORDS = {"and", "or", "not", "is", "null", "true", "false", "coalesce"}


def bits(mask: int) -> int:
    return bin(mask).count("1")


def columns_of(db: "DuckDBPyConnection", relation: str) -> dict[str, tuple[int, str]]:
    """Returns {fact: (its bit in evidence_errors, its type)}."""
    described = [(name, kind) for name, kind, *_ in db.execute(f"describe {relation}").fetchall()]
    facts = [each for each in described if each[0] not in ("id", "source", "evidence_errors")]
    return {name: (place, kind) for place, (name, kind) in enumerate(facts)}


def words_of(predicate: str) -> list[str]:
    """Returns the words of a predicate, without numbers, texts and operators."""
    return re.sub(r"'[^']*'|\d+|[-+*=<>(),\s]+", " ", predicate).split()


def has_alternatives(signal: Json) -> bool:
    return re.search(r"\bor\b", signal["rule"]) is not None


def checked(predicate: str, columns: dict[str, tuple[int, str]]) -> str:
    """Returns a predicate of a contract. It may have columns, numbers, texts and operators, but no other SQL."""
    for word in words_of(predicate):
        if word not in columns and word not in WORDS:
            raise ReleaseFault(
                f"a contract has {word[:40]!r} in {predicate[:200]!r}, which is not a column of evidence"
            )
    if "--" in predicate:
        raise ReleaseFault(f"a contract has a comment in {predicate[:200]!r}")
    return predicate


def rule_in_sql(signal: Json, columns: dict[str, tuple[int, str]]) -> str:
    """Returns the rule as SQL. In a rule with an `or`, a count that the source never carries reads 0, not null."""
    rule = checked(signal["rule"], columns)
    if has_alternatives(signal):
        for name in dict.fromkeys(signal["needs"]):
            place, kind = columns[name]
            if kind == "INTEGER":
                zero = f"coalesce({name}, case when never & {1 << place} <> 0 then 0 end)"
                rule = re.sub(rf"\b{name}\b", zero, rule)
    return rule


def states(db: "DuckDBPyConnection", contract: Json, pledges: Json, relation: str = "evidence") -> dict[str, Masks]:
    """Returns {id: masks} of all rows of a relation with the columns of the evidence table."""
    sql = states_sql(columns_of(db, relation), contract, supported_by(contract, pledges), pledges, relation)
    return {record: masks_of(each) for record, *each in db.execute(sql).fetchall()}


def states_sql(
    columns: dict[str, tuple[int, str]],
    contract: Json,
    supported: dict[str, int],
    pledges: Json,
    relation: str,
) -> str:
    """Returns a query of ids and states: a column for each signal, with its id as the name."""
    rows = []
    for source, pledge in pledges.items():
        if not re.fullmatch(r"[a-z0-9_]+", source):
            raise ReleaseFault(f"data/pledges.json has {source[:40]!r}, which is not the name of a source")
        never = sum(1 << columns[name][0] for name in pledge["neverCarries"])
        rows.append(f"('{source}', {supported[source]}, {never}::bigint)")
    cases = []
    for signal in contract["signals"]:
        rule = rule_in_sql(signal, columns)
        errors = sum(1 << columns[name][0] for name in signal["needs"])
        hidden = checked(signal["notEvaluableWhen"] or "false", columns)
        cases.append(
            f"case when supported & {1 << SIGNALS.index(signal['id'])} = 0 then 'unsupported' "
            f"when ({rule}) then 'passed' "
            f"when evidence_errors & {errors} <> 0 then 'failed' "
            f"when ({hidden}) then 'not_evaluable' "
            f"when ({rule}) is null then 'source_missing' else 'absent' end as {signal['id']}"
        )
    return (
        f"with pledge(source, supported, never) as (values {', '.join(rows)}) "
        f"select id, {', '.join(cases)} from {relation} join pledge using (source)"
    )


def masks_of(each: list[str]) -> Masks:
    def mask(*names: str) -> int:
        return sum(1 << bit for bit, state in enumerate(each) if state in names)

    supported = (1 << len(SIGNALS)) - 1 - mask("unsupported")
    return supported, mask("absent", "passed"), mask("passed"), mask("source_missing"), mask("failed")


def scores(db: "DuckDBPyConnection", contracts: Json, pledges: Json, receipt: Json) -> dict[tuple[str, str], Json]:
    """Returns the rows of the table of scores by id and version."""
    least = receipt["policy"]["leastEvaluable"]
    uses = {}
    historical = next(each for each in contracts.values() if each["publicVersion"] == "1.0")
    for record, (_, evaluable, passed, *_) in states(db, historical, pledges).items():
        uses[record] = 4 * bits(passed >> 15 & 31) if bits(evaluable) >= least else None
    rows = {}
    for rubric in receipt["rubrics"]:
        for record, masks in states(db, contracts[rubric["contract"]], pledges).items():
            rows[record, rubric["version"]] = {**row_of(masks, least), "observed_use": uses[record]}
    return rows


def row_of(masks: Masks, least: int) -> Json:
    judged = bits(masks[1]) >= least
    points = [4 * bits(masks[2] >> 5 * bucket & 31) if judged else None for bucket in range(5)]
    return {
        "status": "scored" if judged else "insufficient_evidence",
        "total": 4 * bits(masks[2]) if judged else None,
        **dict(zip(BUCKETS.lower(), points, strict=True)),
        "supported_mask": masks[0],
        "evaluable_mask": masks[1],
        "passed_mask": masks[2],
        "source_missing_mask": masks[3],
        "failed_mask": masks[4],
    }


def other_scores(
    db: "DuckDBPyConnection", contracts: Json, pledges: Json, receipt: Json
) -> dict[tuple[str, str], Json]:
    """Returns scores under the other contracts in the receipt: the same columns without observed use."""
    least = receipt["policy"]["leastEvaluable"]
    return {
        (record, name): row_of(masks, least)
        for name in receipt["alsoContracts"]
        for record, masks in states(db, contracts[name], pledges).items()
    }
