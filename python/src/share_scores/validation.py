"""The figures of data/validation.json (docs/validation.md)."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .scores import bits, states
from .signals import SIGNALS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MIN_RECORDS = 30
MAX_SCALED = 20_000
Z = 1.96
CAUTION = "An association is not a cause: well-described datasets may be used more for other reasons."
Row = dict[str, Any]


def rounded(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return math.floor(value * 10_000 + 0.5) / 10_000 + 0.0


def ratio(above: float, below: float) -> float:
    return above / below if below != 0 else math.nan


# --- counts -------------------------------------------------------------------------------------------------------


def wilson(rate: float, n: float) -> tuple[float, float]:
    spread = Z * math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n))
    middle, scale = rate + (Z * Z) / (2 * n), 1 + (Z * Z) / n
    return max(0, (middle - spread) / scale), min(1, (middle + spread) / scale)


def phi(n: int, one: int, other: int, both: int) -> float:
    return ratio(n * both - one * other, math.sqrt(one * (n - one) * (other * (n - other))))


def agreement(n: int, one: int, other: int, both: int) -> float:
    return (n - one - other + 2 * both) / n


def kappa(n: int, one: int, other: int, both: int) -> float:
    chance = (one * other + (n - one) * (n - other)) / (n * n)
    return ratio(agreement(n, one, other, both) - chance, 1 - chance)


def design_effect(clusters: int, n: int, passed: int, pp: int, pe: int, ee: int) -> float:
    if clusters < 2 or passed in (0, n):
        return n / clusters
    rate = passed / n
    spread = pp - 2 * rate * pe + rate * rate * ee
    return max(1, (clusters / (clusters - 1)) * ((spread * n) / (passed * (n - passed))))


def item_rest(rows: list[tuple[int, int, int]]) -> tuple[int, float]:
    """Returns the number of records, and the correlation of one signal with the number of other passed signals.

    rows: (passed signals, whether this signal is among them, n).
    """
    n = sum(row[2] for row in rows)

    def total(value: Callable[[int, int], int]) -> int:
        return sum(value(row[0] - row[1], row[1]) * row[2] for row in rows)

    x, y = total(lambda rest, own: own), total(lambda rest, own: rest)
    xy, yy = total(lambda rest, own: rest * own), total(lambda rest, own: rest * rest)
    return n, ratio(n * xy - x * y, math.sqrt(x * (n - x) * (n * yy - y * y)))


def eigenvalues(matrix: list[list[Any]]) -> list[float]:
    a = [list(map(float, row)) for row in matrix]
    size = range(len(a))
    for _ in range(60):
        if sum(a[i][j] ** 2 for i in size for j in size if i != j) <= 1e-22:
            break
        for p in size:
            for q in range(p + 1, len(a)):
                if a[p][q] == 0:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = (-1 if theta < 0 else 1) / (abs(theta) + math.sqrt(theta * theta + 1))
                c = 1 / math.sqrt(t * t + 1)
                s = t * c
                for k in size:
                    one, other = a[k][p], a[k][q]
                    a[k][p], a[k][q] = c * one - s * other, s * one + c * other
                for k in size:
                    one, other = a[p][k], a[q][k]
                    a[p][k], a[q][k] = c * one - s * other, s * one + c * other
    return sorted((a[i][i] for i in size), reverse=True)


def pair_sums(cells: dict[tuple[int, int], int]) -> list[float]:
    """Returns the sums for Kendall's tau of cells {(x, y): n}: n, score, pairs that differ in x and in y, variance."""
    n = sum(cells.values())
    by_x: dict[int, int] = defaultdict(int)
    by_y: dict[int, int] = defaultdict(int)
    for (x, y), count in cells.items():
        by_x[x] += count
        by_y[y] += count
    rows: dict[int, dict[int, int]] = defaultdict(dict)
    for (x, y), count in cells.items():
        rows[y][x] = count
    below: dict[int, int] = defaultdict(int)
    twice = squares = 0
    for y in sorted(rows):
        for x, count in rows[y].items():
            own = 0
            for other, everyone in by_x.items():
                less = below[other]
                more = everyone - less - rows[y].get(other, 0)
                own += 0 if other == x else (less - more if other < x else more - less)
            twice += count * own
            squares += count * own * own
        for x, count in rows[y].items():
            below[x] += count
    pairs = n * (n - 1) // 2
    differ_x = pairs - sum(count * (count - 1) // 2 for count in by_x.values())
    differ_y = pairs - sum(count * (count - 1) // 2 for count in by_y.values())
    variance = 0 if n < 2 else (n / (n - 1)) * (squares - (twice * twice) / n)
    return [n, twice / 2, differ_x, differ_y, variance]


def tau(sums: list[float]) -> float:
    return ratio(sums[1], math.sqrt(sums[2] * sums[3]))


def tau_of(pairs: Iterable[tuple[int, int, int]]) -> float | None:
    """Returns Kendall's tau of pairs (x, y, n), which may repeat; None if there are too few records."""
    cells: dict[tuple[int, int], int] = defaultdict(int)
    for x, y, n in pairs:
        if n > 0:
            cells[(x, y)] += n
    sums = pair_sums(cells)
    return None if sums[0] < MIN_RECORDS else rounded(tau(sums))


# --- scoring ------------------------------------------------------------------------------------------------------


def scaled_rule(rule: str, halves: int) -> str:
    return re.sub(r">= (\d+)", lambda found: f">= {max(1, -(-int(found[1]) * halves // 2))}", rule)


def scaled(contract: Row, halves: int) -> Row:
    signals = [{**signal, "rule": scaled_rule(signal["rule"], halves)} for signal in contract["signals"]]
    return {**contract, "signals": signals}


CLUSTER_SUMS: tuple[Callable[[int, int], int], ...] = (
    lambda e, p: e,
    lambda e, p: p,
    lambda e, p: p * p,
    lambda e, p: p * e,
    lambda e, p: e * e,
)


# --- populations --------------------------------------------------------------------------------------------------


def population(
    source: str | None, patterns: list[Any], clusters: list[Any], contract: Row, scalings: dict[int, list[Any]]
) -> Row:
    """Returns the figures of one source, or of all sources if it is None.

    patterns: (source, scored, supported, evaluable, passed, n); clusters: (source, bit, evaluable, passed) of each;
    scalings: {halves: rows of scaled scores}.
    """
    own = [row for row in patterns if source is None or row[0] == source]
    totals = [row for row in own if row[1]]
    scored = sum(row[5] for row in totals)

    def count(test: Callable[[Any], Any]) -> int:
        return sum(row[5] for row in own if test(row))

    rates = []
    for bit, name in enumerate(SIGNALS):
        flag = 1 << bit
        evaluable, own_passed = sum(row[5] for row in own if row[3] & flag), passed(own, flag)
        mine = [row[2:] for row in clusters if row[1] == bit and (source is None or row[0] == source)]
        known = evaluable >= MIN_RECORDS and len(mine) > 0
        design, low, high = None, None, None
        if known:
            sums = [sum(value(e, p) for e, p in mine) for value in CLUSTER_SUMS]
            design = design_effect(len(mine), *sums)
            low, high = wilson(own_passed / evaluable, evaluable / design)
        rates.append(
            {
                "signal": name,
                "records": count(lambda row: True),
                "supported": sum(row[5] for row in own if row[2] & flag),
                "evaluable": evaluable,
                "passed": own_passed if known else None,
                "rate": rounded(own_passed / evaluable) if known else None,
                "clusters": len(mine),
                "design": rounded(design),
                "low": rounded(low),
                "high": rounded(high),
            }
        )
    pairs = []
    for i in range(25):
        for j in range(i + 1, 25):
            both = (1 << i) | (1 << j)
            rows = [row for row in own if row[3] & both == both]
            n = sum(row[5] for row in rows)
            value = None
            if n >= MIN_RECORDS:
                value = rounded(phi(n, passed(rows, 1 << i), passed(rows, 1 << j), passed(rows, both)))
            if value is not None:
                pairs.append({"one": SIGNALS[i], "other": SIGNALS[j], "n": n, "phi": value})
    return {
        "source": source,
        "records": rates[0]["records"],
        "scored": scored,
        "signals": rates,
        "phi": pairs,
        "dimensions": dimensions(rates, pairs),
        "floor": end(totals, scored, lambda row: row[4] == 0),
        "ceiling": end(totals, scored, lambda row: bits(row[4]) == bits(row[2])),
        "itemRest": [item_rest_of(name, 1 << bit, totals) for bit, name in enumerate(SIGNALS)],
        "denominators": denominators(totals, scored),
        "thresholds": [thresholds(source, contract, halves, scalings[halves]) for halves in (1, 4)],
    }


def passed(rows: list[Any], mask: int) -> int:
    return sum(row[5] for row in rows if row[4] & mask == mask)


def end(totals: list[Any], scored: int, test: Callable[[Any], bool]) -> Row:
    share = rounded(sum(row[5] for row in totals if test(row)) / scored) if scored >= MIN_RECORDS else None
    return {"n": scored, "share": share}


def dimensions(rates: list[Row], pairs: list[Row]) -> Row:
    names = [each["signal"] for each in rates if each["passed"] and each["passed"] < each["evaluable"]]
    if not names:
        return {"signals": [], "effective": None, "eigenvalues": []}
    known = {frozenset((pair["one"], pair["other"])): pair["phi"] for pair in pairs}
    matrix = [[1 if a == b else known.get(frozenset((a, b)), 0) for b in names] for a in names]
    squares = sum(value * value for row in matrix for value in row)
    values = [rounded(value) for value in eigenvalues(matrix)]
    return {"signals": names, "effective": rounded(len(names) ** 2 / squares), "eigenvalues": values}


def item_rest_of(name: str, flag: int, totals: list[Any]) -> Row:
    n, value = item_rest([(bits(row[4]), 1 if row[4] & flag else 0, row[5]) for row in totals if row[3] & flag])
    return {"signal": name, "n": n, "correlation": rounded(value) if n >= MIN_RECORDS else None}


def denominators(totals: list[Any], scored: int) -> Row:
    # Shares are whole numbers, so that rounding cannot make equal shares different.
    part = math.lcm(*range(1, 26))

    def mean(of: Callable[[Any], int]) -> float | None:
        shares = sum(row[5] * (bits(row[4]) / of(row) if of(row) else 0) for row in totals)
        return rounded(100 * shares / scored) if scored >= MIN_RECORDS else None

    def order(of: Callable[[Any], int]) -> float | None:
        whole = (bits(row[4]) * (part // of(row)) if of(row) else 0 for row in totals)
        return tau_of((bits(row[4]), share, row[5]) for row, share in zip(totals, whole, strict=True))

    return {
        "n": scored,
        "all": mean(lambda row: 25),
        "supported": mean(lambda row: bits(row[2])),
        "evaluable": mean(lambda row: bits(row[3])),
        "tauSupported": order(lambda row: bits(row[2])),
        "tauEvaluable": order(lambda row: bits(row[3])),
    }


def thresholds(source: str | None, contract: Row, halves: int, rows: list[Any]) -> Row:
    """Returns figures under a contract whose thresholds are scaled by halves / 2.

    rows: (source, published passed mask or None, evaluable mask, passed mask).
    """
    own = [row for row in rows if source is None or row[0] == source]
    ordered = [row for row in own if row[1] is not None]
    signals = []
    for bit, signal in enumerate(contract["signals"]):
        if scaled_rule(signal["rule"], halves) == signal["rule"]:
            continue
        evaluable = sum(1 for row in own if row[2] & (1 << bit))
        passed = sum(1 for row in own if row[3] & (1 << bit))
        rate = rounded(passed / evaluable) if evaluable >= MIN_RECORDS else None
        signals.append({"signal": SIGNALS[bit], "evaluable": evaluable, "rate": rate})
    n = len(ordered)
    return {
        "scale": "2" if halves == 4 else "0.5",
        "n": n,
        "tau": tau_of((bits(row[1]), bits(row[3]), 1) for row in ordered),
        "mean": rounded(sum(4 * bits(row[3]) for row in ordered) / n) if n >= MIN_RECORDS else None,
        "signals": signals,
    }


# --- beyond one score ---------------------------------------------------------------------------------------------


def scores(db: "DuckDBPyConnection", relation: str, contract: Row, pledges: Row) -> dict[str, tuple[int, int]]:
    """Returns {id: (evaluable mask, passed mask)} of a relation with the columns of the evidence table."""
    return {id: masks[1:3] for id, masks in states(db, contract, pledges, relation).items()}


def agreements(db: "DuckDBPyConnection", versions: list[tuple[str, str]], contracts: Row, pledges: Row) -> list[Row]:
    found = []
    for version, contract in versions:
        other = scores(db, "duplicate_evidence", contracts[contract], pledges)
        rows = db.execute(
            "select record.source, d.source, record.id, d.id, score.evaluable_mask, score.passed_mask "
            "from duplicate_evidence as d join alias on alias.alias_id = d.id "
            "join record on record.id = alias.id and not record.generated "
            "join score on score.id = record.id and score.rubric = ?",
            [version],
        ).fetchall()
        by_pair = defaultdict(list)
        for taken, lost, record, duplicate, evaluable, passed in rows:
            by_pair[(taken, lost)].append((record, evaluable, passed, *other[duplicate]))
        for (taken, lost), twins in by_pair.items():
            records = len({twin[0] for twin in twins})
            if records < MIN_RECORDS:
                continue
            signals = []
            for bit, name in enumerate(SIGNALS):
                both = [twin for twin in twins if twin[1] & twin[3] & (1 << bit)]
                n = len(both)
                results = [(twin[2] >> bit & 1, twin[4] >> bit & 1) for twin in both]
                answers = (n, sum(a for a, _ in results), sum(b for _, b in results), sum(a & b for a, b in results))
                known = n >= MIN_RECORDS
                signals.append(
                    {
                        "signal": name,
                        "n": n,
                        "agreement": rounded(agreement(*answers)) if known else None,
                        "kappa": rounded(kappa(*answers)) if known else None,
                    }
                )
            found.append({"taken": taken, "other": lost, "rubric": version, "records": records, "signals": signals})
    return sorted(found, key=lambda each: (each["rubric"], each["taken"], each["other"]))


def outcomes(db: "DuckDBPyConnection") -> list[Row]:
    pooled: dict[tuple[str, str], tuple[int, list[float]]] = {}
    for outcome in ("citations", "downloads"):
        rows = db.execute(
            f"select record.source, left(pub_date, 4) as year, {outcome}, bit_count(passed_mask), count(*) "
            "from record join score on score.id = record.id and score.rubric = '2.0' and score.status = 'scored' "
            f"where not generated and {outcome} is not null and pub_date is not null group by all order by all"
        ).fetchall()
        groups: dict[Any, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
        for source, year, value, passed, n in rows:
            text = str(value)
            groups[(source, year)][(passed, int(text[:2] + "0" * (len(text) - 2)))] += n
        for (source, _), cells in sorted(groups.items()):
            sums = pair_sums(cells)
            if sums[0] < MIN_RECORDS or sums[2] == 0 or sums[3] == 0:
                continue
            for key in ((outcome, ""), (outcome, source)):
                strata, before = pooled.get(key, (0, [0, 0, 0, 0, 0]))
                pooled[key] = (strata + 1, [a + b for a, b in zip(before, sums, strict=True)])
    found = []
    for (outcome, source), (strata, sums) in sorted(pooled.items()):
        middle = tau(sums)
        spread = (Z * math.sqrt(sums[4])) / math.sqrt(sums[2] * sums[3])
        found.append(
            {
                "outcome": outcome,
                "source": source or None,
                "strata": strata,
                "n": sums[0],
                "tau": rounded(middle),
                "low": rounded(max(-1, middle - spread)),
                "high": rounded(min(1, middle + spread)),
            }
        )
    return found


# --- the whole ----------------------------------------------------------------------------------------------------


def figures(db: "DuckDBPyConnection", receipt: Row, contracts: Row, pledges: Row) -> Row:
    """Returns the content of data/validation.json. The tables of the release are views by their published names."""
    versions = [(each["version"], each["contract"]) for each in receipt["rubrics"]]
    for name, table in {
        "record": "records",
        "score": "scores",
        "alias": "aliases",
        "authorship": "authorships",
    }.items():
        db.execute(f"create view {name} as from {table}")
    db.execute('create view duplicate_evidence as from "duplicate-evidence"')
    [(harvested, generated)] = db.execute(
        "select count(*) filter (where not generated), count(*) filter (where generated) from record"
    ).fetchall()
    sampled, below = None, "s"
    if harvested > MAX_SCALED:
        below = "r" + format(max(1, 4096 * MAX_SCALED // harvested), "03x")
        [(records,)] = db.execute("select count(*) from record where not generated and id < ?", [below]).fetchall()
        sampled = {"below": below, "records": records}
    db.execute(
        "create view sample as select evidence.* from evidence join record using (id) "
        f"where not generated and id < '{below}'"
    )
    part = "true" if sampled is None else f"left(sha256(source || ' ' || creator), 3) < '{below[1:]}'"
    db.execute(
        "create table clustered as with own as ("
        "select record.id, source, coalesce(nullif(name, 'withheld'), record.id) as creator from record "
        "left join authorship on authorship.id = record.id and position = 0 "
        f"where not generated) select * from own where {part}"
    )
    rubrics = []
    for version, contract in versions:
        clusters = db.execute(
            "select source, bit, count(*), count(*) filter (where passed_mask & (1 << bit) <> 0) "
            "from score join clustered using (id) cross join range(25) as bits(bit) "
            "where rubric = ? and evaluable_mask & (1 << bit) <> 0 group by source, bit, creator",
            [version],
        ).fetchall()
        patterns = db.execute(
            "select record.source, score.status = 'scored', supported_mask, evaluable_mask, passed_mask, count(*) "
            "from score join record using (id) where not generated and rubric = ? group by all",
            [version],
        ).fetchall()
        published = db.execute(
            "select id, record.source, case when score.status = 'scored' then passed_mask end from score "
            "join record using (id) where rubric = ?",
            [version],
        ).fetchall()
        known = {record: (source, passed) for record, source, passed in published}
        scalings = {}
        for halves in (1, 4):
            again = scores(db, "sample", scaled(contracts[contract], halves), pledges)
            scalings[halves] = [(*known[record], *masks) for record, masks in again.items()]
        sources = [None, *sorted({row[0] for row in patterns})]
        populations = [population(source, patterns, clusters, contracts[contract], scalings) for source in sources]
        populations = [each for each in populations if each["records"] >= MIN_RECORDS]
        rubrics.append({"version": version, "contract": contract, "populations": populations})
    return {
        "format": 2,
        "releaseDigest": receipt["releaseDigest"],
        "asOf": receipt["asOf"],
        "least": MIN_RECORDS,
        "harvested": harvested,
        "generated": generated,
        "sampled": sampled,
        "rubrics": rubrics,
        "sources": agreements(db, versions, contracts, pledges),
        "outcomes": outcomes(db),
        "caution": CAUTION,
    }


def differences(path: str, said: Any, found: Any) -> Iterator[str]:
    """Yields a line for each difference. The last digit may differ, because sums are rounded."""
    if isinstance(said, dict) and isinstance(found, dict):
        for key in sorted({*said, *found}):
            yield from differences(f"{path}.{key}", said.get(key, "nothing"), found.get(key, "nothing"))
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for place, (one, other) in enumerate(zip(said, found, strict=True)):
            yield from differences(f"{path}[{place}]", one, other)
    elif isinstance(said, float) and isinstance(found, (int, float)):
        if abs(said - found) > 0.000_11:
            yield f"{path}: the file says {said}, but {found} was computed"
    elif said != found:
        yield f"{path}: the file says {said}, but {found} was computed"
