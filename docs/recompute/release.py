"""Computes a release again from its evidence, and reports every difference. It uses none of this project's code.

    python release.py FOLDER-OF-THE-RELEASE

It follows docs/method.md, docs/reference/tables.md and docs/adr/0002-release-digest.md, and needs the package duckdb. It reads
records, evidence, authorships and attributions from the release. It computes manifest, inputs, masks, points, statuses,
researchers, sums and the digest. The exit code is 1 if anything differs.
"""

import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import duckdb

SIGNALS = [bucket + str(number) for bucket in "SHARE" for number in range(1, 6)]
BUCKETS = "share"
#: Columns that need unpublished data (folded names, texts before cleaning), so they are read from the release.
TAKEN = {"researchers": {"slug", "orcid", "identity_basis"}, "institutions": {"reported_json", "label"}}


def sha256(text):
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def bits(mask):
    return bin(mask).count("1")


def canonical(value):
    """Returns canonical JSON (RFC 8785) of texts, whole numbers, lists and objects with ASCII names."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


# --- figures: exact sums, rounded once, half up, as whole numbers of hundredths ------------------------------------


def ratio(above, below, times=1):
    return None if below == 0 else (200 * times * above + below) // (2 * below)


def mean(values):
    return ratio(sum(values), len(values))


def median(values):
    ordered, n = sorted(values), len(values)
    return None if n == 0 else ratio(ordered[(n - 1) // 2] + ordered[n // 2], 2)


def largest_k(values):
    ordered = sorted(values, reverse=True)
    return sum(1 for place, value in enumerate(ordered, 1) if value >= place)


# --- scores: docs/method.md, "Six states" ---------------------------------------------------------------------------


def rule_in_sql(signal, columns):
    """Returns the rule as SQL. Inside an `or`, a null count that the pledge never carries reads 0."""
    rule = signal["rule"]
    if re.search(r"\bor\b", rule):
        for name in signal["needs"]:
            place, kind = columns[name]
            if kind == "INTEGER":
                zero = f"coalesce({name}, case when never & {1 << place} <> 0 then 0 end)"
                rule = re.sub(rf"\b{name}\b", zero, rule)
    return rule


def states(db, contract, pledges, columns):
    """Returns {id: five masks} of all evidence under a contract."""
    rows = []
    for source, pledge in pledges.items():
        maps = pledge["contracts"][contract["contract"]]
        supported = sum(1 << bit for bit, name in enumerate(SIGNALS) if maps[name]["supported"])
        never = sum(1 << columns[name][0] for name in pledge["neverCarries"])
        rows.append(f"('{source}', {supported}, {never}::bigint)")
    cases = []
    for signal in contract["signals"]:
        rule = rule_in_sql(signal, columns)
        errors = sum(1 << columns[name][0] for name in signal["needs"])
        cases.append(
            f"case when supported & {1 << signal['bit']} = 0 then 'unsupported' when ({rule}) then 'passed' "
            f"when evidence_errors & {errors} <> 0 then 'failed' "
            f"when ({signal['notEvaluableWhen'] or 'false'}) then 'not_evaluable' "
            f"when ({rule}) is null then 'source_missing' else 'absent' end"
        )
    found = db.execute(
        f"with pledge(source, supported, never) as (values {', '.join(rows)}) "
        f"select id, {', '.join(cases)} from evidence join pledge using (source)"
    ).fetchall()
    masks = {}
    for record, *each in found:
        mask = lambda *names: sum(1 << bit for bit, state in enumerate(each) if state in names)
        evaluable, passed = mask("absent", "passed"), mask("passed")
        supported = (1 << 25) - 1 - mask("unsupported")
        masks[record] = (supported, evaluable, passed, mask("source_missing"), mask("failed"))
    return masks


def scores(db, contracts, pledges, receipt):
    described = [(name, kind) for name, kind, *_ in db.execute("describe evidence").fetchall()]
    facts = [each for each in described if each[0] not in ("id", "source", "evidence_errors")]
    columns = {name: (place, kind) for place, (name, kind) in enumerate(facts)}
    least = receipt["policy"]["leastEvaluable"]
    by_version, uses = {}, {}
    for rubric in receipt["rubrics"]:
        by_version[rubric["version"]] = states(db, contracts[rubric["contract"]], pledges, columns)
    historical = next(c for c in contracts.values() if c["publicVersion"] == "1.0")
    for record, (_, evaluable, passed, *_) in states(db, historical, pledges, columns).items():
        uses[record] = 4 * bits(passed >> 15 & 31) if bits(evaluable) >= least else None
    rows = {}
    for version, masks in by_version.items():
        for record, each in masks.items():
            judged = bits(each[1]) >= least
            points = [4 * bits(each[2] >> 5 * bucket & 31) if judged else None for bucket in range(5)]
            rows[record, version] = {
                "status": "scored" if judged else "insufficient_evidence",
                "total": sum(points) if judged else None,
                **dict(zip(BUCKETS, points)),
                "observed_use": uses[record],
                "supported_mask": each[0],
                "evaluable_mask": each[1],
                "passed_mask": each[2],
                "source_missing_mask": each[3],
                "failed_mask": each[4],
            }
    return rows


def other_scores(db, contracts, pledges, receipt):
    """Returns scores under the other contracts in the receipt: the same columns without observed use."""
    rows = {}
    for name in receipt["alsoContracts"]:
        named = {**receipt, "rubrics": [{"version": name, "contract": name}]}
        for key, row in scores(db, contracts, pledges, named).items():
            rows[key] = {column: value for column, value in row.items() if column != "observed_use"}
    return rows


# --- sums: docs/method.md, "Arithmetic" -----------------------------------------------------------------------------


def caps_of(rows):
    passed, evaluable = (sum(bits(row[name]) for row in rows) for name in ("passed_mask", "evaluable_mask"))
    return {
        "mean_cap": mean([4 * bits(row["supported_mask"]) for row in rows]),
        "passed_of_evaluable": ratio(passed, evaluable, 100),
    }


def means_of(rows):
    return {
        "mean_score": mean([row["total"] for row in rows]),
        **{f"mean_{bucket}": mean([row[bucket] for row in rows]) for bucket in BUCKETS},
    }


def distribution_of(rows):
    tens, fours = Counter(row["total"] // 10 for row in rows), Counter(row["total"] for row in rows)
    return {**{f"d{i}": tens[i] for i in range(11)}, **{f"t{i}": fours[i] for i in range(0, 101, 4)}}


def group(records, score, version):
    """Returns the figures of a group of records."""
    rows = [score[each, version] for each in records if (each, version) in score]
    rows = [row for row in rows if row["total"] is not None]
    figures = {"record_count": len(set(records)), "scored_count": len(rows)}
    return {**figures, **means_of(rows), **caps_of(rows), **distribution_of(rows)}


def researchers(tables, score, version):
    """Returns rows by id, and the best hundred datasets of each researcher."""
    record = tables["records"]
    datasets, names, places = defaultdict(set), defaultdict(Counter), defaultdict(Counter)
    for row in tables["authorships"].values():
        if row["researcher_id"] is not None:
            datasets[row["researcher_id"]].add(row["id"])
            names[row["researcher_id"]][row["name"]] += 1
            if row["affiliation"]:
                places[row["researcher_id"]][row["affiliation"]] += 1
    most = lambda counts: min(counts, key=lambda each: (-counts[each], each), default=None)
    rows, best = {}, {}
    for researcher, own in datasets.items():
        families = defaultdict(list)
        for each in own:
            families[record[each,]["version_family"]].append(each)
        cited, chosen = [], []
        for members in families.values():
            citations = [record[each,]["citations"] for each in members]
            cited.append(max((count for count in citations if count is not None), default=None))
            scored = [each for each in members if score.get((each, version), {}).get("total") is not None]
            if scored:
                chosen.append(min(scored, key=lambda each: (-score[each, version]["total"], each)))
        if not chosen:
            continue
        chosen.sort(key=lambda each: (-score[each, version]["total"], each))
        figures = [score[each, version] for each in chosen]
        days = [(record[each,]["retrieved_at"] or "")[:10] for each in chosen]
        days = [day for day in days if day] or [(record[each,]["updated"] or "")[:10] for each in chosen]
        known = [count for count in cited if count is not None]
        s_index = largest_k([row["total"] for row in figures])
        data_date = max(days) or None
        rows[researcher] = {
            "name": most(names[researcher]),
            "affiliation": most(places[researcher]),
            "s_index": s_index,
            "s_impact": largest_k(known),
            "cited_known": len(known),
            "cited_datasets": len(cited),
            "dataset_count": len(chosen),
            "scored_count": len(chosen),
            "max_score": figures[0]["total"],
            **means_of(figures),
            **caps_of(figures),
            "data_date": data_date,
        }
        best[researcher] = chosen[:100]
    basis = {id: row["identity_basis"] for (rubric, id), row in tables["researchers"].items() if rubric == version}
    indices = [row["s_index"] for id, row in rows.items() if basis.get(id) != "name"]
    middle = median(indices)
    for row in rows.values():
        row["s_index_median"] = middle
    return rows, best, basis, indices, middle


def aggregates(tables, score, versions):
    """Returns {table: {key: row}} for all tables of stage 4, under each version."""
    made = defaultdict(dict)
    labels, spoken = defaultdict(list), defaultdict(list)
    for (id,), row in tables["records"].items():
        labels[row["repository"] or ""].append(id)
        spoken[row["repository"] or "", row["source"]].append(id)
    institutions, countries = defaultdict(list), defaultdict(list)
    for row in tables["attributions"].values():
        institutions[row["institution_id"]].append(row)
        if row["country_code"] is not None:
            countries[row["country_code"]].append(row)
    for version in versions:
        rows, best, basis, indices, middle = researchers(tables, score, version)
        for id, row in rows.items():
            made["researchers"][version, id] = row
            for place, dataset in enumerate(best[id], 1):
                made["researcher-datasets"][version, id, place] = {"id": dataset}
        for label, records in labels.items():
            made["repositories"][version, label] = group(records, score, version)
        for key, records in spoken.items():
            made["repository-sources"][version, *key] = group(records, score, version)
        for id, own in institutions.items():
            figures = group({row["id"] for row in own}, score, version)
            authors = {row["researcher_id"] for row in own} & rows.keys()
            country = next((row["country_code"] for row in own if row["country_code"] is not None), None)
            made["institutions"][version, id] = {**figures, "author_count": len(authors), "country_code": country}
        for code, own in countries.items():
            figures = group({row["id"] for row in own}, score, version)
            count = len({row["institution_id"] for row in own})
            made["geography"][version, code] = {**figures, "institution_count": count}
        whole = group([id for (id,) in tables["records"]], score, version)
        own = [row for (_, rubric), row in score.items() if rubric == version]
        totals = [row["total"] for row in own if row["total"] is not None]
        uses = [row["observed_use"] for row in own if row["observed_use"] is not None]
        bases = Counter(basis[id] for id in rows)
        made["metrics"][version,] = {
            **whole,
            "total_records": whole["record_count"],
            "scored_records": whole["scored_count"],
            "insufficient_records": len(own) - len(totals),
            "total_authors": len(rows),
            **{f"authors_{each}": bases[each] for each in ("orcid", "name_affiliation", "name")},
            "repository_count": len(labels.keys() - {""}),
            "median_score": median(totals),
            "pct_above_70": ratio(sum(1 for total in totals if total >= 70), len(totals), 100),
            "mean_observed_use": mean(uses),
            "mean_s_index": mean(indices),
            "max_s_index": max(indices, default=None),
            "s_index_median": middle,
        }
    return made


# --- the release: docs/adr/0002-release-digest.md -------------------------------------------------------------------


def spelled(value):
    if value is None:
        return "-"
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return f"{len(text)}:{text}"


def table_root(rows, columns, key):
    """Returns the root of a table. Each row has its values in the order of the columns."""
    places = [columns.index(name) for name in key]
    shards = defaultdict(list)
    for row in rows:
        own = sha256("".join(spelled(row[place]) for place in places))
        shards[own[:3]].append((own, sha256("".join(map(spelled, row)))))
    lines = [f"{name} {sha256(''.join(each for _, each in sorted(shards[name])))}\n" for name in sorted(shards)]
    return "sha256:" + sha256("".join(lines))


def release_digest(content):
    named = {name: content[name] for name in ("inputs", "pages", "tables")}
    # Format 3 introduced the tables of affiliations and funding.
    joins = {"affiliations", "funding"} & content["tables"].keys()
    return "sha256:" + sha256(canonical({"format": 3 if joins else 2, **named}))


def read(folder):
    """Returns (connection, {table: key}, {table: {key: row}}, {table: root}), by published name."""
    package = json.loads((folder / "datapackage.json").read_text())
    db, keys, tables, roots = duckdb.connect(), {}, {}, {}
    for resource in package["resources"]:
        found = re.fullmatch(r"data/([^/]+)/part-0000\.parquet", resource["path"])
        if not found:
            continue
        name, key = found[1], resource["schema"]["primaryKey"]
        keys[name] = key
        path = str(folder / "data" / name / "part-*.parquet").replace("'", "''")
        db.execute(f"create view \"{name}\" as select * from read_parquet('{path}')")
        cursor = db.execute(f'select * from "{name}"')
        columns = [each[0] for each in cursor.description]
        rows = cursor.fetchall()
        roots[name] = table_root(rows, columns, key)
        tables[name] = {}
        for values in rows:
            row = dict(zip(columns, values))
            tables[name][tuple(row[each] for each in key)] = row
    return db, keys, tables, roots


def joins(tables):
    """Yields a line for each difference of affiliations, funding and years from the texts and counts that they follow from."""
    for key, row in tables.get("affiliations", {}).items():
        if row["institution_id"] != sha256(json.loads(row["reported_json"])):
            yield f"affiliations {key}: the id does not follow from the text"
    if "funding" not in tables:
        return
    for (id,), row in tables["records"].items():
        year = None if row["pub_date"] is None else int(row["pub_date"][:4])
        if row["publication_year"] != year:
            yield f"records ({id}) publication_year: the release says {row['publication_year']}, it is {year}"
    stated = defaultdict(list)
    for (id, _), row in tables["funding"].items():
        stated[id].append({name: value for name, value in row.items() if name not in ("id", "place")})
    for (id,), row in tables["evidence"].items():
        rows = stated[id]
        named = {each["funder"] or each["funder_scheme"] + ":" + each["funder_id"] for each in rows if each["funder"] or each["funder_id"]}
        people = sum(1 for each in rows if not any(each.values()))
        awards = {each["award_number"] for each in rows if each["award_number"]}
        for name, count in (("funder_count", len(named) + people), ("award_count", len(awards))):
            if (row[name] or 0) != count:
                yield f"evidence ({id}) {name}: the release says {row[name]}, funding has {count}"


def hundredths(value):
    return int(value.scaleb(2)) if hasattr(value, "scaleb") else value


def differing(table, said, found, taken):
    """Yields a line for each difference between a table of the release and the computed one."""
    for key in sorted({*said, *found}, key=str):
        if key not in said or key not in found:
            yield f"{table} {key}: {'is not there' if key not in said else 'follows from nothing'}"
            continue
        for column, value in said[key].items():
            if column in taken:
                continue
            value, own = hundredths(value), found[key].get(column)
            if own != value:
                yield f"{table} {key} {column}: the release says {value}, it is {own}"


def recompute(folder):
    """Returns the number of computed values, and a line for each difference."""
    receipt = json.loads((folder / "release.json").read_text())
    contracts = json.loads((folder / "data/contracts.json").read_text())
    pledges = json.loads((folder / "data/pledges.json").read_text())
    content, lines = receipt["content"], []

    def agree(what, said, found):
        if said != found:
            lines.append(f"{what}: the release says {said}, it is {found}")

    manifest = (folder / "manifest.ndjson").read_bytes()
    agree("manifestDigest", receipt["manifestDigest"], "sha256:" + sha256(manifest))
    files = [json.loads(line) for line in manifest.splitlines()]
    for each in files:
        agree(each["path"], each["sha256"], sha256((folder / each["path"]).read_bytes()))
    for name, contract in contracts.items():
        agree(f"contract {name}", content["inputs"].get(f"contract {name}"), "sha256:" + sha256(canonical(contract)))
    for name, pledge in pledges.items():
        agree(f"pledge {name}", content["inputs"].get(f"pledge {name}"), "sha256:" + sha256(canonical(pledge)))
    for name in ("enrichments", "policy"):
        agree(name, content["inputs"][name], "sha256:" + sha256(canonical(receipt[name])))
    agree("asOf", content["inputs"]["asOf"], receipt["asOf"])
    agree("withheld", content["inputs"]["withheld"], receipt["withheld"]["digest"])

    db, keys, tables, roots = read(folder)
    agree("table roots", content["tables"], roots)
    agree("releaseDigest", receipt["releaseDigest"], release_digest(content))

    for (_, id), row in tables["institutions"].items():
        # An earlier release has no exact text.
        if row.get("reported_json") is not None:
            agree(f"institutions ({id})", id, sha256(json.loads(row["reported_json"])))

    lines.extend(joins(tables))
    score = scores(db, contracts, pledges, receipt)
    versions = [each["version"] for each in receipt["rubrics"]]
    made = {"scores": score, **aggregates(tables, score, versions)}
    if receipt.get("alsoContracts"):
        made["contract-scores"] = other_scores(db, contracts, pledges, receipt)
    counted = len(files) + len(roots)
    for table, found in made.items():
        taken = {*keys[table], *TAKEN.get(table, ())}
        counted += sum(len(row.keys() - taken) for row in tables[table].values())
        lines.extend(differing(table, tables[table], found, taken))
    return counted, lines


def main():
    counted, lines = recompute(Path(sys.argv[1]))
    for line in lines[:40]:
        print(line)
    print(f"{counted} values, {len(lines)} of them differ")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
