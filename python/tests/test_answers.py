"""Answers of a server about many datasets, recomputed from the published tables of the same release."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from urllib.parse import quote

import duckdb
import httpx
import pytest

from share_scores import Release
from share_scores.scores import Json, states
from share_scores.signals import SIGNALS

#: Number of groups of each kind that are requested, the largest first.
MAX_GROUPS = 12


class Tables:
    """The records of a release with their states, and the ids of the records of each group."""

    def __init__(self, release: Release) -> None:
        columns = ["id", "source", "repository", "publication_year", "total", *SIGNALS]
        self.records: dict[str, Json] = {row["id"]: row for row in release.records(columns=columns)}
        self.groups: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for row in self.records.values():
            self._add("repository", row["repository"], row["id"])
        for row in release.table("affiliations"):
            self._add("ror", row["ror"], row["id"])
        for row in release.table("funding"):
            self._add("funder", row["funder"] and row["funder"].lower(), row["id"])
            self._add("award", row["award_number"] and row["award_number"].lower(), row["id"])
            if row["funder_scheme"] in ("ror", "crossref_funder"):
                self._add("funder", row["funder_id"], row["id"])
        for row in release.table("authorships"):
            self._add("author", row["researcher_id"], row["id"])

    def _add(self, kind: str, value: str | None, record: str) -> None:
        if value is not None:
            self.groups[kind][value].add(record)

    def largest(self, kind: str) -> list[tuple[str, set[str]]]:
        return sorted(self.groups[kind].items(), key=lambda each: (-len(each[1]), each[0]))[:MAX_GROUPS]


@pytest.fixture(scope="module")
def folder() -> Release:
    return Release(os.environ["SHARE_FOLDER"])


@pytest.fixture(scope="module")
def tables(folder: Release) -> Tables:
    return Tables(folder)


@pytest.fixture(scope="module")
def server() -> Iterator[httpx.Client]:
    with httpx.Client(base_url=os.environ["SHARE_SERVER"], timeout=60) as client:
        yield client


def answer(server: httpx.Client, path: str, **filters: Any) -> Json:
    response = server.get(path, params=filters)
    assert response.status_code == 200, response.text
    return dict(response.json())


def rounded(value: Decimal) -> float:
    return float(value.quantize(Decimal("0.01"), ROUND_HALF_UP))


def mean(rows: list[Json]) -> float | None:
    totals = [row["total"] for row in rows if row["total"] is not None]
    return rounded(Decimal(sum(totals)) / len(totals)) if totals else None


def years(rows: list[Json]) -> list[Json]:
    known = defaultdict(list)
    for row in rows:
        known[row["publication_year"]].append(row)
    return [
        {
            "year": year,
            "datasets": len(each),
            "scoredCount": sum(row["total"] is not None for row in each),
            "meanScore": mean(each),
        }
        for year, each in sorted(known.items(), key=lambda item: -(item[0] or -1))
    ]


def to_fix(rows: list[Json]) -> dict[tuple[str, str], tuple[int, int, float]]:
    """Returns {(source, signal): (datasets that lack it, that pass it, points that the mean would gain)}."""
    scored = sum(row["total"] is not None for row in rows)
    lacking: Counter[tuple[str, str]] = Counter()
    passed: Counter[tuple[str, str]] = Counter()
    gained: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for name in SIGNALS:
            each = (row["source"], name)
            lacking[each] += row[name] == "absent"
            passed[each] += row[name] == "passed"
            gained[each] += 4 * (row[name] == "absent" and row["total"] is not None)
    return {
        each: (count, passed[each], rounded(Decimal(gained[each]) / scored) if scored else 0)
        for each, count in lacking.items()
        if count > 0
    }


@pytest.mark.parametrize("kind", ["repository", "ror", "funder", "award", "author"])
def test_groups_have_these_datasets_means_years_and_signals_to_fix(
    server: httpx.Client, tables: Tables, kind: str
) -> None:
    groups = tables.largest(kind)
    assert groups
    for value, ids in groups:
        rows = [tables.records[each] for each in ids]
        listed = answer(server, "/records", **{kind: value})
        assert listed["pagination"]["total"] == len(ids), value
        found = (
            answer(server, f"/repositories/{quote(value, safe='')}/improvements")
            if kind == "repository"
            else answer(server, "/improvements", **{kind: value})
        )["data"]
        assert found["datasets"] == len(ids)
        assert found["scoredCount"] == sum(row["total"] is not None for row in rows)
        assert found["meanScore"] == mean(rows)
        assert found["years"] == years(rows)
        stated = {
            (each["source"], each["signal"]): (each["datasets"], each["passed"], each["points"])
            for each in found["improvements"]
            if each["datasets"] > 0
        }
        assert stated == to_fix(rows), value


def test_filters_by_state_and_year_have_these_datasets(server: httpx.Client, tables: Tables) -> None:
    rows = list(tables.records.values())
    found = 0
    for place, name in enumerate(SIGNALS):
        state, other = [("absent", "passed"), ("passed", "unsupported"), ("source_missing", "absent")][place % 3]
        year, after = 2012 + place % 12, SIGNALS[(place + 9) % 25]
        count = sum(
            row[name] == state and row[after] == other and (row["publication_year"] or 0) >= year for row in rows
        )
        filters = {"signals": f"{name}:{state},{after}:{other}", "publishedFrom": year}
        listed = answer(server, "/records", **filters)
        assert listed["pagination"]["total"] == count, filters
        found += count
    assert found > 0


def test_copies_lose_these_signals(server: httpx.Client, folder: Release, tables: Tables) -> None:
    contract, pledges = folder.contract(), folder.document("data/pledges.json")
    with duckdb.connect() as db:
        db.from_arrow(folder.table("duplicate-evidence").to_arrow()).create("copies")
        masks = states(db, contract, pledges, "copies")
    sources = {row["id"]: row["source"] for row in folder.table("duplicate-evidence")}
    counted: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    lost: dict[tuple[str, str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in folder.table("aliases"):
        own, copy = tables.records.get(row["id"]), sources.get(row["alias_id"])
        if own is None or copy is None or row["alias_id"] not in masks:
            continue
        kinds = pledges[own["source"]]["kind"], pledges[copy]["kind"]
        if kinds[0] != "native" or kinds[1] == "native" or own["total"] is None:
            continue
        group = (own["repository"], own["source"], copy)
        counted[group]["datasets"] += 1
        supported, evaluable, passed, *_ = masks[row["alias_id"]]
        for bit, name in enumerate(SIGNALS):
            has = own[name] == "passed"
            kept = bool(passed >> bit & 1)
            one = lost[group][name]
            one["passed"] += has
            one["kept"] += has and kept
            one["absent"] += has and not kept and bool(evaluable >> bit & 1)
            one["unknown"] += has and bool(supported >> bit & 1) and not evaluable >> bit & 1
            one["unsupported"] += has and not supported >> bit & 1
            one["gained"] += kept and not has
    assert counted
    repositories = {repository for repository, *_ in counted}
    for repository in sorted(repositories):
        data = answer(server, f"/repositories/{quote(repository, safe='')}/crosswalk")["data"]
        assert {(each["source"], each["copy"]): each["datasets"] for each in data} == {
            group[1:]: count["datasets"] for group, count in counted.items() if group[0] == repository
        }
        for each in data:
            expected = lost[repository, each["source"], each["copy"]]
            fields = ("passed", "kept", "absent", "unknown", "unsupported", "gained")
            assert {signal["signal"]: tuple(signal[field] for field in fields) for signal in each["signals"]} == {
                name: tuple(count[field] for field in fields)
                for name, count in expected.items()
                if count["passed"] + count["gained"] > 0
            }
