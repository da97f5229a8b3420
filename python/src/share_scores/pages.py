"""The pages of a release, made again from its tables: API responses as JSON, and the words and colours of badges.

Texts that the tables do not contain are `ANY`: names of countries, how much of a source was harvested, older history.
"""

import html
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from .aggregates import Row, Table, ratio
from .digests import digest_of
from .scores import bits
from .signals import BUCKETS, MASKS, SIGNALS, state_of, supported_by

ANY: Any = object()
#: Parts of pages that are not compared.
NOT_COMPARED = [
    "in pages, the reasons in questions, names of countries, sampling and earlier history; in badges, the drawing"
]
TIERS = [(80, "#004f7d"), (60, "#00807d"), (40, "#7a7700"), (20, "#983c00"), (0, "#6b0f3a")]
GREY, BLUE, GROUND = "#6b6b6b", "#1f6296", "#3d3d3d"
#: Rows on the first page of each list.
LISTED = {"records": 10, "authors": 10, "institutions": 20, "geography": 250}
RANGES = [*(f"{ten}-{ten + 9}" for ten in range(0, 100, 10)), "100"]
#: Outcomes on the page of impact, with their columns of evidence.
OUTCOMES = {name + "s": name + "_count" for name in ("view", "download", "citation", "derivative", "mention")}


def number(value: Any) -> Any:
    """Returns a decimal with two places as a JSON number: 20 for 20.00, 20.5 for 20.50."""
    return float(value) if hasattr(value, "scaleb") else value


def means(row: Row) -> Row:
    return {"meanCap": number(row["mean_cap"]), "passedOfEvaluable": number(row["passed_of_evaluable"])}


def bucket_means(row: Row) -> Row:
    return {bucket: number(row[f"mean_{bucket.lower()}"]) for bucket in BUCKETS}


def distributions(row: Row) -> Row:
    return {"scoreDistribution": {name: row[f"d{i}"] for i, name in enumerate(RANGES)}, **totals(row)}


def totals(row: Row) -> Row:
    return {"totalDistribution": {str(total): row[f"t{total}"] for total in range(0, 101, 4)}}


def share(part: int, whole: int) -> float:
    return (ratio(part, whole, 100) or 0) / 100


def values_of(rows: list[Row]) -> Row:
    """Returns the values of each evidence column: those that count, those that do not, and those found elsewhere."""
    values: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row["evidence"], row["place"])):
        own = values.setdefault(row["evidence"], {"counted": [], "missing": []})
        if row["found_in"] is None:
            own["counted" if row["counts"] else "missing"].append(row["value"])
        else:
            own.setdefault("elsewhere", []).append({"value": row["value"], "foundIn": row["found_in"]})
    return values


class Pages:
    """Makes the pages under one public version. `tables` contains the rows of each table by their key."""

    def __init__(self, version: str, contract: Row, pledges: Row, tables: dict[str, Table], receipt: Row) -> None:
        self.version, self.contract, self.pledges, self.receipt = version, contract, pledges, receipt
        self.records, self.evidence, self.scores = tables["records"], tables["evidence"], tables["scores"]
        self.supported = supported_by(contract, pledges)
        self.authors, self.facets, self.aliases = (
            grouped(tables[name], "id") for name in ("authorships", "facets", "aliases")
        )
        self.values = grouped(tables["values"], "id") if "values" in tables else None
        self.own: dict[str, list[Row]] = {
            name: [row for row in tables[name].values() if row["rubric"] == version]
            for name in ("researchers", "repositories", "repository-sources", "institutions", "geography", "metrics")
        }
        self.best = grouped(
            {key: row for key, row in tables["researcher-datasets"].items() if row["rubric"] == version},
            "researcher_id",
        )
        self.researchers = {row["slug"]: row for row in self.own["researchers"]}

    # --- records ------------------------------------------------------------------------------------------------------

    def record_row(self, record: Row) -> Row:
        score = self.scores.get((record["id"], self.version))
        points = score if score is not None and score["total"] is not None else None
        buckets = {bucket: points and points[bucket.lower()] for bucket in BUCKETS}
        cap = None if score is None else 4 * bits(score["supported_mask"])
        evaluable = 0 if score is None else 4 * bits(score["evaluable_mask"])
        failed = record["status"] == "failed"
        return {
            "id": record["id"],
            "doi": record["doi"],
            "repository": record["repository"],
            "title": record["title"],
            "pubDate": record["pub_date"],
            "versionFamily": record["version_family"],
            "scoreStatus": "failed" if failed else "insufficient_evidence" if points is None else "scored",
            "score": points and {"total": points["total"], "bucketScores": buckets, "status": "scored"},
            "shareScore": points and points["total"],
            "stewardshipScore": buckets["S"],
            "harmonizationScore": buckets["H"],
            "accessScore": buckets["A"],
            "engagementScore": buckets["E"],
            "reuseScore": buckets["R"] if self.version == "1.0" else None,
            "reusabilityScore": buckets["R"] if self.version == "2.0" else None,
            "cap": cap,
            "shareOfCap": points and share(points["total"], cap or 0),
            "passedOfEvaluable": points and share(points["total"], evaluable),
            "range": points and {"least": points["total"], "most": points["total"] + (cap or 0) - evaluable},
        }

    def record(self, id: str) -> Row | None:
        record = self.records.get((id,))
        if record is None:
            return None
        pledge, row, evidence = self.pledges[record["source"]], self.record_row(record), self.evidence.get((id,))
        score = self.scores.get((id, self.version))
        own = self.supported[record["source"]]
        failed = dict.fromkeys(MASKS, 0) | {"supported_mask": own, "failed_mask": own}
        masks = {camel(name): (score or failed)[name] for name in MASKS}
        identifier = f"{record['source']}/{record['source_id']}"
        facets = defaultdict(list)
        for each in sorted(self.facets[id], key=lambda each: (each["kind"], each["place"])):
            facets[each["kind"]].append(each["value"])
        return {
            **row,
            "score": row["score"] and {**row["score"], **masks},
            "masks": masks,
            "identifier": identifier,
            "url": record["url"],
            "recordKind": record["record_kind"],
            "accessStatus": record["access_status"],
            "diseases": facets["disease"],
            "ageGroups": facets["ageGroup"],
            "dataTypes": facets["dataType"],
            "license": record["license"],
            "version": record["version"],
            **({} if self.values is None else {"values": values_of(self.values[id])}),
            "authors": [
                {"id": each["researcher_id"], **{name: each[name] for name in ("name", "affiliation", "slug", "orcid")}}
                for each in sorted(self.authors[id], key=lambda each: each["position"])
            ],
            "signals": [self.signal(signal, masks, pledge, evidence) for signal in self.contract["signals"]],
            "cap": 4 * bits(masks["supportedMask"]),
            "observedUse": {name: record[name] for name in ("views", "downloads", "citations")},
            "source": {
                "name": pledge["name"],
                "identifier": identifier,
                "retrievedAt": record["retrieved_at"],
                "payloadDigest": f"sha256:{record['payload_digest']}",
                "pledgeStatus": pledge["status"],
            },
            "aliases": [
                {"id": each["alias_id"], "identifier": each["alias_identifier"]}
                for each in sorted(self.aliases[id], key=lambda each: each["alias_id"])
            ],
        }

    def signal(self, signal: Row, masks: Row, pledge: Row, evidence: Row | None) -> Row:
        bit = SIGNALS.index(signal["id"])
        state = state_of({name: value >> bit & 1 for name, value in masks.items()})
        pledged = pledge["contracts"][self.contract["contract"]][signal["id"]]
        columns = dict.fromkeys(signal["needs"])
        columns |= dict.fromkeys(
            name for name in re.findall("[a-z_]+", signal["notEvaluableWhen"] or "") if name in (evidence or {})
        )
        advice: str | None = None
        form: Row = {}
        if state not in ("passed", "unsupported"):
            question = signal["question"][0].lower() + signal["question"][1:]
            advice = pledged["advice"] if state == "absent" else Ending(f", so this could not be judged: {question}")
            forms = pledge.get("forms", {})
            form = next((forms[name] for name in signal["needs"] if name in forms), {})
        return {
            **{name: signal[name] for name in ("id", "name", "bucket")},
            "bit": bit,
            "state": state,
            "points": 4 if state == "passed" else 0,
            "field": pledged["field"] if pledged["supported"] else None,
            "evidence": ANY if evidence is None else {name: evidence[name] for name in columns},
            "advice": advice,
            "adviceFor": form.get("who"),
            "effort": form.get("effort") if state == "absent" else None,
        }

    def impact(self, id: str) -> Row | None:
        record = self.records.get((id,))
        if record is None:
            return None
        score = self.scores.get((id, self.version), {"total": None})
        shown = "SHAER" if self.version == "2.0" else "SHAE"
        never = self.pledges[record["source"]]["neverCarries"]
        return {
            "id": id,
            "rubric": self.version,
            "stewardship": None if score["total"] is None else {each: score[each.lower()] for each in shown},
            "outcomes": {
                name: {"value": None, "state": "unsupported" if column in never else "source_missing"}
                if record[name] is None
                else {"value": record[name], "state": "known"}
                for name, column in OUTCOMES.items()
            },
        }

    # --- researchers and groups ---------------------------------------------------------------------------------------

    def basis(self, row: Row) -> Row:
        return {
            "datasets": row["dataset_count"],
            "rubric": self.version,
            "date": row["data_date"],
            "median": number(row["s_index_median"]),
            "cap": number(row["mean_cap"]),
        }

    def author_row(self, row: Row) -> Row:
        return {
            **{name: row[name] for name in ("id", "name", "slug")},
            "affiliation": row["affiliation"] or "",
            "sIndex": row["s_index"],
            "sIndexBasis": self.basis(row),
            "sImpact": row["s_impact"],
            "citedBasis": {"known": row["cited_known"], "datasets": row["cited_datasets"]},
            "datasetCount": row["dataset_count"],
            "avgScore": number(row["mean_score"]),
            **means(row),
            "maxScore": row["max_score"],
            "shareScore": number(row["mean_score"]),
            "identityBasis": row["identity_basis"],
            "orcid": row["orcid"],
        }

    def author(self, slug: str) -> Row | None:
        row = self.researchers.get(slug)
        if row is None:
            return None
        best = sorted(self.best[row["id"]], key=lambda each: each["place"])
        datasets = [self.record_row(self.records[each["id"],]) for each in best]
        return {**self.author_row(row), "verified": False, "bucketMeans": bucket_means(row), "datasets": datasets}

    def place(self, row: Row) -> Row:
        return {
            "recordCount": row["record_count"],
            "scoredCount": row["scored_count"],
            "meanScore": number(row["mean_score"]),
            **means(row),
            "bucketMeans": bucket_means(row),
            **distributions(row),
        }

    def institution(self, row: Row) -> Row:
        shown = {"id": row["id"], "label": row["label"], "countryCode": row["country_code"]}
        return {**shown, "authorCount": row["author_count"], **self.place(row)}

    def country(self, row: Row) -> Row:
        count = row["institution_count"]
        return {"countryCode": row["country_code"], "name": ANY, "institutionCount": count, **self.place(row)}

    # --- pages that name the release ----------------------------------------------------------------------------------

    def release_pages(self) -> dict[str, Any]:
        """Returns the pages about the whole release under this version, by key."""

        def total(row: Row) -> int:
            known = self.scores.get((row["id"], self.version), {}).get("total")
            return -1 if known is None else known

        records = sorted(self.records.values(), key=lambda row: row["id"])
        best = sorted(records, key=total, reverse=True)
        authors = self.own["researchers"]
        lists: dict[str, tuple[Callable[[Row], Row], list[Row]]] = {
            "records": (self.record_row, records),
            "records-by-score": (self.record_row, best),
            "authors": (self.author_row, sorted(authors, key=lambda row: (row["name"], row["id"]))),
            "authors-by-s-index": (self.author_row, sorted(authors, key=lambda row: (-row["s_index"], row["id"]))),
            "institutions": (
                self.institution,
                sorted(self.own["institutions"], key=lambda row: (row["label"], row["id"])),
            ),
            "geography": (self.country, sorted(self.own["geography"], key=lambda row: row["country_code"])),
        }
        pages: dict[str, Any] = {
            f"api/{self.version}/lists/{name}.json": self.listed(rows, make, LISTED[name.split("-")[0]])
            for name, (make, rows) in lists.items()
        }
        [metrics] = self.own["metrics"]
        if metrics["scored_records"] > 0:
            pages[f"api/{self.version}/metrics/live.json"] = self.live(metrics)
            if self.receipt["history"]:
                named = {name: self.receipt[name] for name in ("scoreReleaseVersion", "releaseDigest", "publishedAt")}
                own = {**named, "rubric": self.version, **self.snapshot(metrics)}
                pages[f"api/{self.version}/metrics/history.json"] = Last([own])
        return pages

    def listed(self, rows: list[Row], make: Callable[[Row], Row], limit: int) -> Row:
        count, pages = len(rows), max(1, -(-len(rows) // limit))
        pagination = {"total": count, "page": 1, "limit": limit, "totalPages": pages, "hasNext": count > limit}
        data = [make(row) for row in rows[:limit]]
        return {"data": data, "pagination": {**pagination, "hasPrev": False}, "_meta": self.meta()}

    def meta(self) -> Row:
        return {"scoreRelease": {name: self.receipt[name] for name in ("scoreReleaseVersion", "releaseDigest")}}

    def snapshot(self, row: Row) -> Row:
        """Returns the figures that live metrics and the history share."""
        return {
            "totalRecords": row["total_records"],
            "totalAuthors": row["total_authors"],
            "repositoryCount": row["repository_count"],
            "meanShareScore": number(row["mean_score"]),
            "meanStewardship": number(row["mean_s"]),
            "meanHarmonization": number(row["mean_h"]),
            "meanAccess": number(row["mean_a"]),
            "meanEngagement": number(row["mean_e"]),
            "meanReuse": number(row["mean_observed_use"]) or 0,
            "meanReusability": number(row["mean_r"]) if self.version == "2.0" else None,
            **means(row),
            "meanSIndex": number(row["mean_s_index"]) or 0,
            "maxSIndex": row["max_s_index"] or 0,
            "authorsByBasis": {name: row[f"authors_{name}"] for name in ("orcid", "name_affiliation", "name")},
            **distributions(row),
        }

    def live(self, metrics: Row) -> Row:
        sources = sorted(self.own["repository-sources"], key=lambda row: (-row["record_count"], row["source"]))

        def figures(row: Row) -> Row:
            counts = {"count": row["record_count"], "scoredCount": row["scored_count"]}
            return {**counts, "meanScore": number(row["mean_score"]), **means(row), **totals(row)}

        def labelled(row: Row) -> Row:
            own = [each for each in sources if each["repository"] == row["repository"]]
            return {**figures(row), "bySource": [{"source": each["source"], **figures(each)} for each in own]}

        rows = sorted(self.own["repositories"], key=lambda row: (-row["record_count"], row["repository"]))
        named = [{"repository": row["repository"], **labelled(row)} for row in rows if row["repository"]]
        unnamed = [labelled(row) for row in rows if not row["repository"]]
        return {
            **self.snapshot(metrics),
            "medianShareScore": number(metrics["median_score"]),
            "pctAbove70": number(metrics["pct_above_70"]),
            "repositoryBreakdown": [row for row in named if row["meanScore"] is not None],
            "unscoredRepositories": [row for row in named if row["meanScore"] is None],
            "withoutRepository": unnamed[0] if unnamed else ANY,
            "sampling": ANY,
            "release": {
                **{
                    name: self.receipt[name] for name in ("scoreReleaseVersion", "releaseDigest", "publishedAt", "asOf")
                },
                "rubric": next(each for each in self.receipt["rubrics"] if each["version"] == self.version),
                "coverage": self.coverage(),
            },
            "_meta": self.meta(),
        }

    def coverage(self) -> Row:
        own = [row for (_, version), row in self.scores.items() if version == self.version]
        scored = sum(1 for row in own if row["total"] is not None)
        return {**self.receipt["coverage"], "scored": scored, "insufficient": len(own) - scored}

    # --- badges -------------------------------------------------------------------------------------------------------

    def dataset_badge(self, id: str) -> tuple[str, str, str] | None:
        if (id,) not in self.records:
            return None
        row = self.record_row(self.records[id,])
        if row["shareScore"] is None:
            failed = row["scoreStatus"] == "failed"
            return "SHARE", "not scored" if failed else "insufficient evidence", GREY
        return "SHARE", of_cap(row["shareScore"], row["cap"]), color(row["shareScore"], row["cap"])

    def repository_badge(self, label: str) -> tuple[str, str, str] | None:
        row = next((row for row in self.own["repositories"] if row["repository"] == label), None)
        if row is None or label == "":
            return None
        scores = [
            self.scores.get((id, self.version)) for (id,), each in self.records.items() if each["repository"] == label
        ]
        scored = [score for score in scores if score is not None and score["total"] is not None]
        if not scored:
            return "SHARE mean", "not scored", GREY
        mean, cap = sum(row["total"] for row in scored), sum(4 * bits(row["supported_mask"]) for row in scored)
        return "SHARE mean", of_cap(tenths(mean, len(scored)), tenths(cap, len(scored))), color(mean, cap)

    def researcher_badge(self, slug: str) -> tuple[str, str, str] | None:
        row = self.researchers.get(slug)
        return None if row is None else ("S-Index", str(row["s_index"]), BLUE)

    def beside(self, slug: str) -> str:
        """Returns the words that follow the S-Index in the title of a researcher's badge."""
        basis = self.basis(self.researchers[slug])
        count, cap = basis["datasets"], basis["cap"]
        date = "date unknown" if basis["date"] is None else f"as of {basis['date']}"
        return f", of {count} dataset{'' if count == 1 else 's'}, SHARE {self.version}, {date}, mean cap {plain(cap)}"


def plain(value: float | None) -> str:
    return "unknown" if value is None else f"{value:g}"


def camel(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def grouped(table: Table, column: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in table.values():
        groups[row[column]].append(row)
    return groups


def tenths(total: int, count: int) -> str:
    whole = (20 * total + count) // (2 * count)
    return f"{whole // 10}.{whole % 10}"


def of_cap(score: Any, cap: Any) -> str:
    return str(score) if float(cap) == 100 else f"{score} of {cap}"


def color(score: int, cap: int) -> str:
    return next(color for least, color in TIERS if 100 * score >= least * cap)


# --- comparison -------------------------------------------------------------------------------------------------------


class Ending(str):
    """A text of which only the end is compared."""


class Last(list[Any]):
    """A list of which only the last element is compared."""


def differing(path: str, stated: Any, found: Any) -> Iterator[str]:
    """Yields a line for each place where a page differs from the page that its tables give."""
    if found is ANY or isinstance(found, Ending) and isinstance(stated, str) and stated.endswith(found):
        return
    if isinstance(found, Last) and isinstance(stated, list):
        stated = stated[-1:]
    if isinstance(stated, dict) and isinstance(found, dict) and stated.keys() == found.keys():
        for name, value in stated.items():
            yield from differing(f"{path}.{name}", value, found[name])
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for place, (value, own) in enumerate(zip(stated, found, strict=True)):
            yield from differing(f"{path}[{place}]", value, own)
    elif stated != found or isinstance(stated, bool) != isinstance(found, bool):
        yield f"{path}: the page says {str(stated)[:200]}, but its tables give {str(found)[:200]}"


def badge_differing(path: str, text: str, words: tuple[str, str, str], beside: str) -> Iterator[str]:
    """Compares the words and colours of a badge. Sizes and positions are not compared."""
    label, message, color = words
    title = f"{label}: {message}{beside}"
    shown = [html.unescape(each) for each in re.findall(">([^<]+)<", text)]
    expected = [title, *[label] * 3, *[message] * 3]
    said = [html.unescape(each) for each in re.findall('aria-label="([^"]*)"', text)]
    colors = re.findall('<rect [^>]*fill="(#[^"]*)"', text)
    elements = set(re.findall("<([a-zA-Z]+)", text))
    if shown != expected or said != [title]:
        yield f"{path}: the badge says {shown}, but its tables give {expected}"
    if [each for each in colors if each.startswith("#")][:2] != [GROUND, color]:
        yield f"{path}: the badge has the colours {colors}, but its tables give {color}"
    if not elements <= {
        "svg",
        "title",
        "filter",
        "feGaussianBlur",
        "linearGradient",
        "stop",
        "clipPath",
        "rect",
        "g",
        "text",
    }:
        yield f"{path}: the badge has elements that no badge has, among these: {sorted(elements)}"


class FamilyCheck:
    """Compares the pages of one family with the pages that the tables give, and finds missing pages."""

    def __init__(self, family: str, shown: dict[str, Pages], contracts: Row) -> None:
        version, _, kind = family.rpartition("/")
        self.family, self.shown, self.contracts, self.count = family, shown, contracts, 0
        self.own = shown.get(version)
        self.release_pages: dict[str, Any] = {}
        if self.own is None:
            for pages in shown.values():
                self.release_pages |= pages.release_pages()
            self.release_pages |= reference_pages(shown, contracts)
            self.expected = len(self.release_pages)
            return
        labels = [row for row in self.own.own["repositories"] if row["repository"]]
        counts = {"record": self.own.records, "author": self.own.researchers, "repository": labels}
        self.make: Callable[[str], Any]
        self.make, subject = {
            "record": (self.own.record, "record"),
            "impact": (self.own.impact, "record"),
            "author": (self.own.author, "author"),
            "dataset-badge": (self.own.dataset_badge, "record"),
            "repository-badge": (self.own.repository_badge, "repository"),
            "researcher-badge": (self.own.researcher_badge, "author"),
        }[kind]
        self.expected = len(counts[subject])

    def differences(self, key: str, text: bytes) -> Iterator[str]:
        self.count += 1
        name = f"page {self.family} {key}"
        found = self.release_pages.get(key) if self.own is None else self.make(key)
        if found is None:
            yield f"{name}: the tables have no row for this page"
        elif isinstance(found, tuple):
            assert self.own is not None
            beside = self.own.beside(key) if self.family.endswith("researcher-badge") else ""
            yield from badge_differing(name, text.decode(), found, beside)
        else:
            yield from differing(name, json.loads(text), found)

    def missing(self) -> Iterator[str]:
        if self.count != self.expected:
            yield f"pages {self.family}: there are {self.count}, but the tables give {self.expected}"


def reference_pages(shown: dict[str, Pages], contracts: Row) -> dict[str, Any]:
    """Returns the pages of contracts, and the list of public versions."""
    pages: dict[str, Any] = {}
    for id, contract in contracts.items():
        page = {
            "version": contract["publicVersion"] or id,
            "contract": id,
            "digest": digest_of(contract),
            **{name: contract[name] for name in ("status", "title", "summary", "signals", "buckets")},
            "masks": {"names": [camel(name) for name in MASKS], "bitOrder": SIGNALS},
            "comparability": ANY,
            "states": ANY,
        }
        pages |= {f"api/rubrics/{name}.json": page for name in {page["version"], id}}
    public = sorted(
        (each for each in contracts.values() if each["publicVersion"]), key=lambda each: each["publicVersion"]
    )
    scored = {version: pages.own["metrics"][0]["scored_records"] for version, pages in shown.items()}
    pages["api/rubrics/index.json"] = [
        {
            "version": each["publicVersion"],
            "contract": each["contract"],
            "digest": digest_of(each),
            "status": each["status"],
            "available": each["publicVersion"] in scored,
            "scoredRecords": scored.get(each["publicVersion"], 0),
        }
        for each in reversed(public)
    ]
    return pages
