"""Researchers, sums, means and distributions from records and scores (docs/method.md, "Arithmetic")."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from .digests import sha256
from .scores import bits
from .signals import BUCKETS

Row = dict[str, Any]
Table = dict[tuple[Any, ...], Row]
Scores = dict[tuple[str, str], Row]


# --- figures: exact sums, rounded once, half up, as whole numbers of hundredths ------------------------------------


def ratio(above: int, below: int, times: int = 1) -> int | None:
    return None if below == 0 else (200 * times * above + below) // (2 * below)


def mean(values: list[int]) -> int | None:
    return ratio(sum(values), len(values))


def median(values: list[int]) -> int | None:
    ordered, n = sorted(values), len(values)
    return None if n == 0 else ratio(ordered[(n - 1) // 2] + ordered[n // 2], 2)


def largest_k(values: list[int]) -> int:
    ordered = sorted(values, reverse=True)
    return sum(1 for place, value in enumerate(ordered, 1) if value >= place)


# --- sums: docs/method.md, "Arithmetic" -----------------------------------------------------------------------------


def caps_of(rows: list[Row]) -> Row:
    passed, evaluable = (sum(bits(row[name]) for row in rows) for name in ("passed_mask", "evaluable_mask"))
    return {
        "mean_cap": mean([4 * bits(row["supported_mask"]) for row in rows]),
        "passed_of_evaluable": ratio(passed, evaluable, 100),
    }


def means_of(rows: list[Row]) -> Row:
    return {
        "mean_score": mean([row["total"] for row in rows]),
        **{f"mean_{bucket}": mean([row[bucket] for row in rows]) for bucket in BUCKETS.lower()},
    }


def distribution_of(rows: list[Row]) -> Row:
    tens, fours = Counter(row["total"] // 10 for row in rows), Counter(row["total"] for row in rows)
    return {**{f"d{i}": tens[i] for i in range(11)}, **{f"t{i}": fours[i] for i in range(0, 101, 4)}}


def group(records: Iterable[str], score: Scores, version: str) -> Row:
    """Returns the figures of a group of records."""
    rows = [score[each, version] for each in records if (each, version) in score]
    rows = [row for row in rows if row["total"] is not None]
    figures = {"record_count": len(set(records)), "scored_count": len(rows)}
    return {**figures, **means_of(rows), **caps_of(rows), **distribution_of(rows)}


def most(counts: Counter[str]) -> str | None:
    return min(counts, key=lambda each: (-counts[each], each), default=None)


def researchers(tables: dict[str, Table], score: Scores, version: str) -> tuple[Any, ...]:
    """Returns rows and the best hundred datasets by researcher, then identity bases, S-Indices and their median."""
    record = tables["records"]
    datasets: dict[str, set[str]] = defaultdict(set)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    places: dict[str, Counter[str]] = defaultdict(Counter)
    for row in tables["authorships"].values():
        if row["researcher_id"] is not None:
            datasets[row["researcher_id"]].add(row["id"])
            names[row["researcher_id"]][row["name"]] += 1
            if row["affiliation"]:
                places[row["researcher_id"]][row["affiliation"]] += 1
    rows: dict[str, Row] = {}
    best: dict[str, list[str]] = {}
    for researcher, own in datasets.items():
        families: dict[str, list[str]] = defaultdict(list)
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


def aggregates(tables: dict[str, Table], score: Scores, versions: list[str]) -> dict[str, Table]:
    """Returns {table: {key: row}} for all tables of stage 4, under each version."""
    made: dict[str, Table] = defaultdict(dict)
    labels: dict[str, list[str]] = defaultdict(list)
    spoken: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (id,), row in tables["records"].items():
        labels[row["repository"] or ""].append(id)
        spoken[row["repository"] or "", row["source"]].append(id)
    institutions: dict[str, list[Row]] = defaultdict(list)
    countries: dict[str, list[Row]] = defaultdict(list)
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
        for (label, source), records in spoken.items():
            made["repository-sources"][version, label, source] = group(records, score, version)
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


# --- tables that follow from other columns ----


def joins(tables: dict[str, Table]) -> Iterator[str]:
    """Yields a line for each affiliation, researcher, count of funding and year that does not follow from its text."""
    for key, row in tables["authorships"].items():
        id, orcid = row["researcher_id"], row["orcid"]
        if id is not None and orcid is not None and id != "a" + sha256(f"orcid:{orcid}")[:24]:
            yield f"authorships {key}: researcher_id does not follow from the ORCID iD"
    for key, row in tables.get("affiliations", {}).items():
        if row["institution_id"] != sha256(json.loads(row["reported_json"])):
            yield f"affiliations {key}: institution_id does not follow from reported_json"
    if "funding" not in tables:
        return
    for (id,), row in tables["records"].items():
        year = None if row["pub_date"] is None else int(row["pub_date"][:4])
        if row["publication_year"] != year:
            yield f"records ({id}) publication_year: the release says {row['publication_year']}, pub_date {year}"
    stated: dict[str, list[Row]] = defaultdict(list)
    for (id, _), row in tables["funding"].items():
        stated[id].append({name: value for name, value in row.items() if name not in ("id", "place")})
    for (id,), row in tables["evidence"].items():
        rows = stated[id]
        named = {
            each["funder"] or each["funder_scheme"] + ":" + each["funder_id"]
            for each in rows
            if each["funder"] or each["funder_id"]
        }
        people = sum(1 for each in rows if not any(each.values()))
        awards = {each["award_number"] for each in rows if each["award_number"]}
        for name, count in (("funder_count", len(named) + people), ("award_count", len(awards))):
            if (row[name] or 0) != count:
                yield f"evidence ({id}) {name}: the release says {row[name]}, but funding has {count}"
