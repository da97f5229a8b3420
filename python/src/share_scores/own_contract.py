"""Scores of a release by a contract of your own (docs/method.md, "Your own contract")."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from .errors import ShareError
from .rows import Rows
from .scores import WORDS, columns_of, has_alternatives, states_sql, words_of
from .signals import SIGNALS, STATES

if TYPE_CHECKING:
    from .release import Release

Json = dict[str, Any]
#: Rows in a batch.
BATCH = 65_536
MAX_PREDICATE_LENGTH = 1000
FIELDS = ["$schema", "contract", "publicVersion", "status", "title", "summary", "buckets", "signals"]
SIGNAL_FIELDS = [
    *("id", "bit", "bucket", "key", "name", "question", "rationale"),
    *("rule", "needs", "notEvaluableWhen", "fair", "advice"),
]


class ContractRejected(ShareError):
    """A contract of your own has a fault. The message has the line if the contract came from a file."""


class Contract:
    """A contract from a file, or as a dictionary, with columns checked against those of evidence."""

    def __init__(self, given: str | Path | Json, columns: list[str]) -> None:
        self._name = "the contract" if isinstance(given, dict) else str(given)
        self._text = "" if isinstance(given, dict) else Path(given).read_text("utf-8")
        self._columns = columns
        try:
            stated = given if isinstance(given, dict) else json.loads(self._text)
        except json.JSONDecodeError as error:
            raise ContractRejected(f"{self._name}, line {error.lineno}: not valid JSON: {error.msg}") from error
        if not isinstance(stated, dict):
            raise ContractRejected(f"{self._name}: a contract has to be a JSON object with signals")
        self._known(stated, FIELDS, "")
        signals = stated.get("signals")
        if not isinstance(signals, list) or not 1 <= len(signals) <= len(SIGNALS):
            raise ContractRejected(f"{self._name}: signals has to be a list of 1 to {len(SIGNALS)} signals")
        #: The signals in the order of S1 to E5.
        self.signals = sorted(map(self._signal, signals), key=lambda signal: SIGNALS.index(signal["id"]))
        ids = [signal["id"] for signal in self.signals]
        for id in ids:
            if ids.count(id) > 1:
                raise self._rejected(f"there are two signals {id}; remove one of them", f'"{id}"')

    def _signal(self, stated: Any) -> Json:
        if not isinstance(stated, dict) or stated.get("id") not in SIGNALS:
            id = stated.get("id") if isinstance(stated, dict) else stated
            raise self._rejected(f"a signal has the id {id!r}, which is not one of S1 to E5", json.dumps(id))
        id, rule = stated["id"], stated.get("rule")
        self._known(stated, SIGNAL_FIELDS, f"signal {id}: ")
        if not isinstance(stated.get("name"), str):
            raise self._rejected(f'signal {id} has no name; add one, such as "name": "Open licence"', f'"{id}"')
        if not isinstance(rule, str):
            raise self._rejected(f'signal {id} has no rule; add one, such as "rule": "license_open"', f'"{id}"')
        needs = self._columns_in(rule, id)
        if not needs:
            raise self._rejected(f"signal {id}: the rule has no column of evidence, such as license_open", rule)
        if sorted(stated.get("needs", needs)) != sorted(needs):
            raise self._rejected(
                f"signal {id}: the rule uses {', '.join(needs)}, but needs lists others; correct or omit needs", rule
            )
        hidden = stated.get("notEvaluableWhen")
        if hidden is not None:
            self._columns_in(hidden, id)
        return {"id": id, "name": stated["name"], "rule": rule, "needs": needs, "notEvaluableWhen": hidden}

    def _columns_in(self, predicate: Any, id: str) -> list[str]:
        if not isinstance(predicate, str) or len(predicate) > MAX_PREDICATE_LENGTH or "--" in predicate:
            raise self._rejected(
                f"signal {id}: rule and notEvaluableWhen have to be texts without -- of at most "
                f"{MAX_PREDICATE_LENGTH} characters",
                f'"{id}"',
            )
        words = words_of(predicate)
        for word in words:
            if word not in self._columns and word not in WORDS:
                raise self._rejected(
                    f"signal {id}: there is no column {word!r}; see docs/reference/evidence.md", predicate
                )
        return [name for name in self._columns if name in words]

    def _known(self, stated: Json, fields: list[str], where: str) -> None:
        for name in stated:
            if name not in fields:
                raise self._rejected(f"{where}there is no field {name!r}; correct or remove it", f'"{name}"')

    def _rejected(self, problem: str, text: str) -> ContractRejected:
        at = self._text.find(text)
        line = "" if at < 0 else f", line {self._text.count(chr(10), 0, at) + 1}"
        return ContractRejected(f"{self._name}{line}: {problem}")


def supported_by_own(pledge: Json, signals: list[Json], released: Json) -> int:
    """Returns a mask of the signals that a source supports. Its pledge is for the contracts of the release."""
    unsupported = [
        signal
        for name, own in pledge["contracts"].items()
        for signal in released.get(name, {}).get("signals", [])
        if not own[signal["id"]]["supported"]
    ]
    lacking = set(pledge["neverCarries"])
    for signal in unsupported:
        if len(signal["needs"]) == 1 or has_alternatives(signal):
            lacking |= set(signal["needs"])
    unclear = [signal for signal in unsupported if not lacking & set(signal["needs"])]
    for signal in unclear:
        lacking |= set(signal["needs"])
    mask = 0
    for signal in signals:
        missing = [name for name in signal["needs"] if name in lacking]
        if len(missing) < len(signal["needs"]) if has_alternatives(signal) else not missing:
            mask |= 1 << SIGNALS.index(signal["id"])
    return mask


def score(release: "Release", given: str | Path | Json) -> Rows:
    contracts, pledges = release.document("data/contracts.json"), release.document("data/pledges.json")
    contract = contract_of(release, given)
    ids = [signal["id"] for signal in contract.signals]
    states = pa.dictionary(pa.int8(), pa.string())
    texts = ["id", "doi", "source", "source_id", "repository"]
    figures = [("total", pa.decimal128(18, 2)), ("total_2_0", pa.int32()), ("difference", pa.decimal128(18, 2))]
    schema = pa.schema([(name, pa.string()) for name in texts] + figures + [(id, states) for id in ids])

    def batches() -> Iterator[pa.RecordBatch]:
        import duckdb

        count = len(contract.signals)
        least = -(-release.receipt.get("policy", {}).get("leastEvaluable", 0) * count // len(SIGNALS))
        with duckdb.connect() as db:
            for name in ("records", "evidence", "scores"):
                db.read_parquet([str(part) for part in release.parts(name)]).create_view(name)
            supported = {
                source: supported_by_own(pledge, contract.signals, contracts) for source, pledge in pledges.items()
            }
            rules = {"signals": contract.signals}
            own = states_sql(columns_of(db, "evidence"), rules, supported, pledges, "evidence")
            mask = " ".join(f"when '{source}' then {own_mask}" for source, own_mask in supported.items())
            unread = {
                id: f"case when mask & {1 << SIGNALS.index(id)} <> 0 then 'failed' else 'unsupported' end" for id in ids
            }
            try:
                found = db.sql(
                    f"""
                    with own as ({own}),
                    counted as (
                      select *, {count_of(ids, ["passed"])} as passed,
                        {count_of(ids, ["passed", "absent"])} as evaluable from own
                    ),
                    joined as (
                      select r.id, r.doi, r.source, r.source_id, r.repository, case r.source {mask} end as mask,
                        case when evaluable >= {least}
                          then ((20000 * passed + {count}) // {2 * count})::decimal(16, 0) * 0.01
                        end::decimal(18, 2) as total,
                        s.total as total_2_0, {", ".join(f"counted.{id} as own_{id}" for id in ids)} from records as r
                      left join counted on counted.id = r.id
                      left join scores as s on s.id = r.id and s.rubric = '2.0'
                    )
                    select {", ".join(texts)}, total, total_2_0, (total - total_2_0)::decimal(18, 2) as difference,
                      {", ".join(f"coalesce(own_{id}, {unread[id]}) as {id}" for id in ids)} from joined
                    order by id
                    """
                )
                for batch in found.to_arrow_reader(BATCH):
                    yield encoded(batch, schema)
            except duckdb.Error as error:
                raise ContractRejected(f"the contract cannot be applied: {str(error).splitlines()[0]}") from error

    return Rows(batches, lambda: schema)


def count_of(ids: list[str], states: list[str]) -> str:
    """Returns SQL for the number of signals in these states."""
    return " + ".join(f"(list_contains({states!r}, {id}))::int" for id in ids)


def contract_of(release: "Release", given: str | Path | Json) -> Contract:
    names = release.table("evidence").to_reader().schema.names
    return Contract(given, [name for name in names if name not in ("id", "source", "evidence_errors")])


def encoded(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Returns the batch with its states encoded by a dictionary that is the same in each batch."""
    columns = [
        pa.DictionaryArray.from_arrays(
            pc.index_in(column, value_set=pa.array(STATES)).cast(pa.int8()), pa.array(STATES)
        )
        if pa.types.is_dictionary(field.type)
        else column.cast(field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
