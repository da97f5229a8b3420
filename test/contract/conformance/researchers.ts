/** Statements about researchers: rows, filters, and a single researcher with their best hundred datasets. */

import { AUTHOR, PROLIFIC, PROLIFIC_SLUG, SLUG } from "./addresses.ts";
import {
  every,
  expectSome,
  field,
  header,
  json,
  members,
  NOTHING,
  OK,
  rejected,
  sameAs,
  status,
  unlike,
} from "./expectations.ts";
import { RECORD_MEMBERS } from "./record-rows.ts";
import { clause, row, type Statement } from "./statement.ts";
import {
  at,
  exactly,
  INTEGER,
  isNumber,
  type Kind,
  kind,
  like,
  listAt,
  NUMBER,
  numberAt,
  OBJECT,
  orNull,
  PERCENT,
  shown,
  TEXT,
} from "./values.ts";

const LIST = "/authors?limit=100";

const ROW: readonly (readonly [string, Kind])[] = [
  ["id", like(/^a[0-9a-f]{24}$/)],
  ["name", TEXT],
  ["slug", like(/^[A-Za-z0-9._~-]{1,160}$/)],
  ["affiliation", TEXT],
  ["sIndex", NUMBER],
  ["sImpact", NUMBER],
  ["datasetCount", INTEGER],
  ["avgScore", PERCENT],
  ["maxScore", PERCENT],
  ["shareScore", PERCENT],
  ["identityBasis", like(/^(orcid|name_affiliation|name)$/)],
  ["orcid", orNull(like(/^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/))],
  ["citedBasis", OBJECT],
  ["sIndexBasis", OBJECT],
  ["meanCap", PERCENT],
  ["passedOfEvaluable", PERCENT],
];
const ROW_MEMBERS = ROW.map(([name]) => name);

const atLeast = (least: number) => kind(`at least ${least}`, (value) => isNumber(value) && value >= least);

/** Expects the S-Index to be the largest k such that k datasets have a score of at least k. */
const S_INDEX = json("sIndex is the largest k with k datasets of at least k", (body) => {
  const totals = listAt(body, "datasets")
    .map((entry) => numberAt(entry, "score.total"))
    .sort((one, other) => other - one);
  const index = totals.filter((total, i) => total >= i + 1).length;
  return numberAt(body, "sIndex") === index ? null : `sIndex ${numberAt(body, "sIndex")}, by its datasets ${index}`;
});

const BEST_FIRST = json("by total descending, ties by id", (body) => {
  const rows = listAt(body, "datasets");
  const place = rows.findIndex((entry, i) => {
    const next = rows[i + 1];
    if (next === undefined) return false;
    const [one, other] = [numberAt(entry, "shareScore"), numberAt(next, "shareScore")];
    return one < other || (one === other && String(at(entry, "id")) >= String(at(next, "id")));
  });
  return place < 0 ? null : shown([rows[place], rows[place + 1]]);
});

const MEANS = json("avgScore is the mean total, maxScore the greatest", (body) => {
  const totals = listAt(body, "datasets").map((entry) => numberAt(entry, "score.total"));
  const mean = Math.round((totals.reduce((sum, total) => sum + total, 0) * 100) / totals.length) / 100;
  const right = numberAt(body, "avgScore") === mean && numberAt(body, "maxScore") === Math.max(...totals);
  return right ? null : `${shown(at(body, "avgScore"))} and ${shown(at(body, "maxScore"))} for ${shown(totals)}`;
});

const SHARE_SCORE = json("shareScore equals avgScore", (body) => {
  const wrong = listAt(body, "data").find((entry) => at(entry, "shareScore") !== at(entry, "avgScore"));
  return wrong === undefined ? null : shown(wrong);
});

const ORCID = SLUG.slice(-19);
const ORCID_SPELLINGS = [ORCID, ORCID.replaceAll("-", ""), `https://orcid.org/${ORCID}`, `orcid:${ORCID}`];
const NO_ORCIDS = [
  ...["", "Vance", "0000-0002-1825-0098", "0000-0002-1825"],
  ...[`junk ${ORCID}`, `${ORCID} junk`, `https://example.org/${ORCID}`],
];

function bounds(name: string, least: number) {
  return [
    row(
      `${name} selects`,
      `${LIST}&${name}=${least}`,
      OK,
      expectSome("/authors"),
      every("data", name === "minSIndex" ? "sIndex" : "datasetCount", atLeast(least)),
    ),
    row(`${name}=0 is the minimum`, `${LIST}&${name}=0`, OK, sameAs(LIST)),
    row(`${name} has no maximum`, `${LIST}&${name}=100000`, OK, NOTHING),
    row(`${name} is any number`, `${LIST}&${name}=1e3`, OK, NOTHING),
    row(`${name} may have a fraction`, `${LIST}&${name}=${least - 0.5}`, OK, sameAs(`${LIST}&${name}=${least}`)),
    ...["-1", "abc", "", "NaN", "-0.5"].map((value) =>
      row(`${name} is not ${value || "empty"}`, `/authors?${name}=${value}`, rejected(400, "invalid-parameter", name)),
    ),
    row(`${name} once`, `/authors?${name}=1&${name}=1`, rejected(400, "invalid-parameter", name)),
  ];
}

export const RESEARCHERS: readonly Statement[] = [
  ...["2.0", "1.0"].flatMap((rubric) =>
    clause(`interface.md, Researcher (author) row under ${rubric}`, [
      ...ROW.map(([name, wanted]) => row(name, `${LIST}&rubric=${rubric}`, OK, every("data", name, wanted))),
      row("keys are always present", `${LIST}&rubric=${rubric}`, OK, members("data", ROW_MEMBERS)),
      row("shareScore is the mean total", `${LIST}&rubric=${rubric}`, OK, SHARE_SCORE),
    ]),
  ),
  ...clause("interface.md, GET /authors filters", [
    ...bounds("minSIndex", 5),
    ...bounds("minDatasets", 3),
    row(
      "filters are joined by and",
      `${LIST}&minSIndex=5&minDatasets=3&search=vance`,
      OK,
      expectSome(`${LIST}&minSIndex=5`),
    ),
    row(
      "every offending filter is named",
      "/authors?minSIndex=-1&minDatasets=x",
      rejected(400, "invalid-parameter", "minSIndex", "minDatasets"),
    ),
  ]),
  ...clause("decisions.md, Requests: filters of researchers", [
    ...["orcid", "search"].flatMap((name) =>
      ORCID_SPELLINGS.map((spelling) =>
        row(
          `${name} takes an ORCID iD in any spelling: ${spelling}`,
          `/authors?${name}=${encodeURIComponent(spelling)}`,
          OK,
          field("pagination.total", exactly(1)),
          field("data.0.orcid", exactly(ORCID)),
        ),
      ),
    ),
    ...NO_ORCIDS.map((value) =>
      row(
        `orcid is not ${value || "empty"}`,
        `/authors?orcid=${encodeURIComponent(value)}`,
        rejected(400, "invalid-parameter", "orcid"),
      ),
    ),
    row("orcid of nobody here", "/authors?orcid=0000-0001-5109-3700", OK, NOTHING),
  ]),
  ...clause("interface.md, Researcher detail", [
    ...ROW.map(([name, wanted]) => row(name, AUTHOR, OK, field(name, wanted))),
    row("slug is the key of the route", AUTHOR, OK, field("slug", exactly(SLUG))),
    row(
      "its members (decisions.md, Rows)",
      AUTHOR,
      OK,
      members("", [...ROW_MEMBERS, "verified", "bucketMeans", "datasets"]),
    ),
    row("all score components", AUTHOR, OK, members("bucketMeans", "S H A R E")),
    row("datasets are record rows", AUTHOR, OK, members("datasets", RECORD_MEMBERS)),
    row(
      "top 100 datasets, no more",
      PROLIFIC,
      OK,
      json("100 of more", (body) => {
        const [shownRows, all] = [listAt(body, "datasets").length, numberAt(body, "datasetCount")];
        return shownRows === 100 && all === 104 ? null : `${shownRows} of ${all}`;
      }),
    ),
    ...[AUTHOR, PROLIFIC, `${PROLIFIC}?rubric=1.0`].map((path) => row("sorted by SHARE score", path, OK, BEST_FIRST)),
    ...[AUTHOR, `${AUTHOR}?rubric=1.0`, PROLIFIC].map((path) =>
      row("S-Index is the largest k of k datasets of at least k", path, OK, S_INDEX),
    ),
    ...[AUTHOR, `${AUTHOR}?rubric=1.0`].map((path) => row("means of the scored datasets", path, OK, MEANS)),
    row("no rubric means 2.0", AUTHOR, OK, sameAs(`${AUTHOR}?rubric=2.0`)),
    row("rubric=1.0", `${AUTHOR}?rubric=1.0`, OK, unlike(AUTHOR)),
    row("a dataset counts once however many versions it has", PROLIFIC, OK, field("datasetCount", exactly(104))),
    row(
      "a known ORCID with another name part is redirected",
      `/authors/former-name${PROLIFIC_SLUG.slice(15)}`,
      status(308),
      header("location", PROLIFIC),
    ),
    row(
      "a redirect keeps the query",
      `/authors/x${PROLIFIC_SLUG.slice(15)}?rubric=1.0`,
      status(308),
      header("location", `${PROLIFIC}?rubric=1.0`),
    ),
  ]),
];
