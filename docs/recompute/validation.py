"""Computes data/validation.json of a release again, and reports every difference. It follows docs/validation.md alone.

    python validation.py FOLDER-OF-THE-RELEASE

It needs the package duckdb. It prints each figure that differs. The exit code is 1 if one does.
"""

import json
import math
import re
import sys
from collections import defaultdict
from pathlib import Path

import duckdb

LEAST = 30
MOST_SCALED = 20_000
Z = 1.96
SIGNALS = [bucket + str(number) for bucket in "SHARE" for number in range(1, 6)]
CAUTION = "An association is not a cause: well-described datasets may be used more for other reasons."


def rounded(value):
    if value is None or not math.isfinite(value):
        return None
    return math.floor(value * 10_000 + 0.5) / 10_000 + 0.0


def ratio(above, below):
    return above / below if below != 0 else math.nan


def bits(mask):
    return bin(mask).count("1")


# --- counts -------------------------------------------------------------------------------------------------------


def wilson(rate, n):
    spread = Z * math.sqrt((rate * (1 - rate)) / n + (Z * Z) / (4 * n * n))
    middle, scale = rate + (Z * Z) / (2 * n), 1 + (Z * Z) / n
    return max(0, (middle - spread) / scale), min(1, (middle + spread) / scale)


def phi(n, one, other, both):
    return ratio(n * both - one * other, math.sqrt(one * (n - one) * (other * (n - other))))


def agreement(n, one, other, both):
    return (n - one - other + 2 * both) / n


def kappa(n, one, other, both):
    chance = (one * other + (n - one) * (n - other)) / (n * n)
    return ratio(agreement(n, one, other, both) - chance, 1 - chance)


def design_effect(clusters, n, passed, pp, pe, ee):
    if clusters < 2 or passed in (0, n):
        return n / clusters
    rate = passed / n
    spread = pp - 2 * rate * pe + rate * rate * ee
    return max(1, (clusters / (clusters - 1)) * ((spread * n) / (passed * (n - passed))))


def item_rest(rows):
    """rows: (passed signals, whether this one is among them, n)."""
    n = sum(row[2] for row in rows)
    total = lambda value: sum(value(row[0] - row[1], row[1]) * row[2] for row in rows)
    x, y = total(lambda rest, own: own), total(lambda rest, own: rest)
    xy, yy = total(lambda rest, own: rest * own), total(lambda rest, own: rest * rest)
    return n, ratio(n * xy - x * y, math.sqrt(x * (n - x) * (n * yy - y * y)))


def eigenvalues(matrix):
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


def pair_sums(cells):
    """Returns sums over pairs of cells {(x, y): n}: n, score, pairs that differ in x and in y, variance of the score."""
    n = sum(cells.values())
    by_x, by_y = defaultdict(int), defaultdict(int)
    for (x, y), count in cells.items():
        by_x[x] += count
        by_y[y] += count
    rows = defaultdict(dict)
    for (x, y), count in cells.items():
        rows[y][x] = count
    below = defaultdict(int)
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


def tau(sums):
    return ratio(sums[1], math.sqrt(sums[2] * sums[3]))


def tau_of(pairs):
    """pairs: (x, y, n), some of them the same."""
    cells = defaultdict(int)
    for x, y, n in pairs:
        if n > 0:
            cells[(x, y)] += n
    sums = pair_sums(cells)
    return None if sums[0] < LEAST else rounded(tau(sums))


# --- scoring ------------------------------------------------------------------------------------------------------


def state_cases(contract, columns):
    """Returns an SQL expression for each signal: 5 passed, 4 absent, 3 not evaluable, 2 failed, 1 source missing, 0 unsupported."""
    numbers = {name for name, kind in columns if kind == "INTEGER"}
    place = {name: bit for bit, (name, _) in enumerate(columns)}
    for signal in contract["signals"]:
        rule = signal["rule"]
        if re.search(r"\bor\b", rule):
            for name in set(signal["needs"]) & numbers:
                none = f"coalesce({name}, case when never & {1 << place[name]} <> 0 then 0 end)"
                rule = re.sub(rf"\b{name}\b", none, rule)
        errors = sum(1 << place[name] for name in signal["needs"])
        hidden = signal["notEvaluableWhen"] or "false"
        yield (
            f"case when supported & {1 << signal['bit']} = 0 then 0 when ({rule}) then 5 "
            f"when evidence_errors & {errors} <> 0 then 2 when ({hidden}) then 3 when ({rule}) is null then 1 else 4 end"
        )


def scores(db, evidence, contract, pledges):
    """Returns {id: (evaluable mask, passed mask)} of a relation with the columns of the evidence table."""
    described = db.execute(f"describe {evidence}").fetchall()
    columns = [(name, kind) for name, kind, *_ in described if name not in ("id", "source", "evidence_errors")]
    names = [name for name, _ in columns]
    rows = []
    for source, pledge in pledges.items():
        supported = sum(
            1 << bit for bit, name in enumerate(SIGNALS) if pledge["contracts"][contract["contract"]][name]["supported"]
        )
        never = sum(1 << names.index(name) for name in pledge["neverCarries"])
        rows.append(f"('{source}', {supported}, {never}::bigint)")
    cases = ", ".join(f"{case} as c{i}" for i, case in enumerate(state_cases(contract, columns)))
    result = db.execute(
        f"with pledge(source, supported, never) as (values {', '.join(rows)}) "
        f"select e.id, {cases} from {evidence} as e join pledge using (source)"
    ).fetchall()
    mask = lambda states, least: sum(1 << bit for bit, state in enumerate(states) if state >= least)
    return {row[0]: (mask(row[1:], 4), mask(row[1:], 5)) for row in result}


def scaled_rule(rule, halves):
    return re.sub(r">= (\d+)", lambda found: f">= {max(1, -(-int(found[1]) * halves // 2))}", rule)


def scaled(contract, halves):
    signals = [{**signal, "rule": scaled_rule(signal["rule"], halves)} for signal in contract["signals"]]
    return {**contract, "signals": signals}


CLUSTER_SUMS = (
    lambda e, p: e,
    lambda e, p: p,
    lambda e, p: p * p,
    lambda e, p: p * e,
    lambda e, p: e * e,
)


# --- populations --------------------------------------------------------------------------------------------------


def population(source, patterns, clusters, contract, scalings):
    """
    patterns: (source, scored, supported, evaluable, passed, n); clusters: (source, bit, evaluable, passed) of each cluster;
    scalings: {halves: rows of scaled scores}.
    """
    own = [row for row in patterns if source is None or row[0] == source]
    totals = [row for row in own if row[1]]
    scored = sum(row[5] for row in totals)
    count = lambda test: sum(row[5] for row in own if test(row))
    rates = []
    for bit, name in enumerate(SIGNALS):
        flag = 1 << bit
        evaluable, passed = count(lambda row: row[3] & flag), count(lambda row: row[4] & flag)
        mine = [row[2:] for row in clusters if row[1] == bit and (source is None or row[0] == source)]
        known = evaluable >= LEAST and len(mine) > 0
        design, low, high = None, None, None
        if known:
            sums = [sum(value(e, p) for e, p in mine) for value in CLUSTER_SUMS]
            design = design_effect(len(mine), *sums)
            low, high = wilson(passed / evaluable, evaluable / design)
        rates.append(
            {
                "signal": name,
                "records": count(lambda row: True),
                "supported": count(lambda row: row[2] & flag),
                "evaluable": evaluable,
                "passed": passed if known else None,
                "rate": rounded(passed / evaluable) if known else None,
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
            if n >= LEAST:
                passed = lambda mask: sum(row[5] for row in rows if row[4] & mask == mask)
                value = rounded(phi(n, passed(1 << i), passed(1 << j), passed(both)))
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


def end(totals, scored, test):
    share = rounded(sum(row[5] for row in totals if test(row)) / scored) if scored >= LEAST else None
    return {"n": scored, "share": share}


def dimensions(rates, pairs):
    names = [each["signal"] for each in rates if each["passed"] and each["passed"] < each["evaluable"]]
    if not names:
        return {"signals": [], "effective": None, "eigenvalues": []}
    known = {frozenset((pair["one"], pair["other"])): pair["phi"] for pair in pairs}
    matrix = [[1 if a == b else known.get(frozenset((a, b)), 0) for b in names] for a in names]
    squares = sum(value * value for row in matrix for value in row)
    values = [rounded(value) for value in eigenvalues(matrix)]
    return {"signals": names, "effective": rounded(len(names) ** 2 / squares), "eigenvalues": values}


def item_rest_of(name, flag, totals):
    n, value = item_rest([(bits(row[4]), 1 if row[4] & flag else 0, row[5]) for row in totals if row[3] & flag])
    return {"signal": name, "n": n, "correlation": rounded(value) if n >= LEAST else None}


def denominators(totals, scored):
    share = lambda row, of: bits(row[4]) / of if of else 0
    mean = lambda of: rounded(100 * sum(row[5] * share(row, of(row)) for row in totals) / scored) if scored >= LEAST else None
    # Shares as whole numbers, so that equal ones are equal.
    part = math.lcm(*range(1, 26))
    whole = lambda row, of: bits(row[4]) * (part // of) if of else 0
    order = lambda of: tau_of((bits(row[4]), whole(row, of(row)), row[5]) for row in totals)
    return {
        "n": scored,
        "all": mean(lambda row: 25),
        "supported": mean(lambda row: bits(row[2])),
        "evaluable": mean(lambda row: bits(row[3])),
        "tauSupported": order(lambda row: bits(row[2])),
        "tauEvaluable": order(lambda row: bits(row[3])),
    }


def thresholds(source, contract, halves, rows):
    """rows: (source, published passed or None, evaluable, passed)."""
    own = [row for row in rows if source is None or row[0] == source]
    ordered = [row for row in own if row[1] is not None]
    signals = []
    for bit, signal in enumerate(contract["signals"]):
        if scaled_rule(signal["rule"], halves) == signal["rule"]:
            continue
        evaluable = sum(1 for row in own if row[2] & (1 << bit))
        passed = sum(1 for row in own if row[3] & (1 << bit))
        rate = rounded(passed / evaluable) if evaluable >= LEAST else None
        signals.append({"signal": SIGNALS[bit], "evaluable": evaluable, "rate": rate})
    n = len(ordered)
    return {
        "scale": "2" if halves == 4 else "0.5",
        "n": n,
        "tau": tau_of((bits(row[1]), bits(row[3]), 1) for row in ordered),
        "mean": rounded(sum(4 * bits(row[3]) for row in ordered) / n) if n >= LEAST else None,
        "signals": signals,
    }


# --- beyond one score ---------------------------------------------------------------------------------------------


def agreements(db, versions, contracts, pledges):
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
            if records < LEAST:
                continue
            signals = []
            for bit, name in enumerate(SIGNALS):
                both = [twin for twin in twins if twin[1] & twin[3] & (1 << bit)]
                yes = lambda place: sum(1 for twin in both if twin[place] & (1 << bit))
                n = len(both)
                answers = (n, yes(2), yes(4), sum(1 for twin in both if twin[2] & twin[4] & (1 << bit)))
                known = n >= LEAST
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


def outcomes(db):
    pooled = {}
    for outcome in ("citations", "downloads"):
        rows = db.execute(
            f"select record.source, left(pub_date, 4) as year, {outcome}, bit_count(passed_mask), count(*) "
            "from record join score on score.id = record.id and score.rubric = '2.0' and score.status = 'scored' "
            f"where not generated and {outcome} is not null and pub_date is not null group by all order by all"
        ).fetchall()
        groups = defaultdict(lambda: defaultdict(int))
        for source, year, value, passed, n in rows:
            text = str(value)
            groups[(source, year)][(passed, int(text[:2] + "0" * (len(text) - 2)))] += n
        for (source, _), cells in sorted(groups.items()):
            sums = pair_sums(cells)
            if sums[0] < LEAST or sums[2] == 0 or sums[3] == 0:
                continue
            for key in ((outcome, ""), (outcome, source)):
                strata, before = pooled.get(key, (0, [0, 0, 0, 0, 0]))
                pooled[key] = (strata + 1, [a + b for a, b in zip(before, sums)])
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


def recompute(folder):
    receipt = json.loads((folder / "release.json").read_text())
    contracts = json.loads((folder / "data/contracts.json").read_text())
    pledges = json.loads((folder / "data/pledges.json").read_text())
    versions = [(each["version"], each["contract"]) for each in receipt["rubrics"]]
    db = duckdb.connect()
    for name, path in {
        "record": "records",
        "score": "scores",
        "evidence": "evidence",
        "alias": "aliases",
        "authorship": "authorships",
        "duplicate_evidence": "duplicate-evidence",
    }.items():
        quoted = str(folder / "data" / path / "part-*.parquet").replace("'", "''")
        db.execute(f"create view {name} as select * from read_parquet('{quoted}')")
    harvested, generated = db.execute(
        "select count(*) filter (where not generated), count(*) filter (where generated) from record"
    ).fetchone()
    sampled, below = None, "s"
    if harvested > MOST_SCALED:
        below = "r" + format(max(1, 4096 * MOST_SCALED // harvested), "03x")
        records = db.execute("select count(*) from record where not generated and id < ?", [below]).fetchone()[0]
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
        populations = [each for each in populations if each["records"] >= LEAST]
        rubrics.append({"version": version, "contract": contract, "populations": populations})
    return {
        "format": 2,
        "releaseDigest": receipt["releaseDigest"],
        "asOf": receipt["asOf"],
        "least": LEAST,
        "harvested": harvested,
        "generated": generated,
        "sampled": sampled,
        "rubrics": rubrics,
        "sources": agreements(db, versions, contracts, pledges),
        "outcomes": outcomes(db),
        "caution": CAUTION,
    }


def differences(path, said, found):
    """Yields each place where two values differ. The last digit may differ, because sums are rounded."""
    if isinstance(said, dict) and isinstance(found, dict):
        for key in sorted({*said, *found}):
            yield from differences(f"{path}.{key}", said.get(key, "nothing"), found.get(key, "nothing"))
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for place, (one, other) in enumerate(zip(said, found)):
            yield from differences(f"{path}[{place}]", one, other)
    elif isinstance(said, float) and isinstance(found, (int, float)):
        if abs(said - found) > 0.000_11:
            yield f"{path}: the file says {said}, it is {found}"
    elif said != found:
        yield f"{path}: the file says {said}, it is {found}"


def main():
    folder = Path(sys.argv[1])
    said = json.loads((folder / "data/validation.json").read_text())
    found = recompute(folder)
    differing = list(differences("", said, found))
    for line in differing[:40]:
        print(line)
    figures = len(re.findall(r"-?\d+\.\d+|\b\d+\b", json.dumps(found)))
    print(f"{figures} figures, {len(differing)} of them differ")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
