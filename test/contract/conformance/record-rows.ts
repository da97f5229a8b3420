/** Statements about the rows of /records under SHARE 2.0 and SHARE 1.0, which the parameter `rubric` chooses. */

import { every, json, members, OK, unlike } from "./expectations.ts";
import { clause, row, type Statement } from "./statement.ts";
import {
  at,
  exactly,
  isNumber,
  type Kind,
  kind,
  like,
  listAt,
  NULL,
  numberAt,
  orNull,
  PERCENT,
  POINTS,
  shown,
  TEXT,
} from "./values.ts";

/** The path of a list that has only scored records, because `minScore=0` leaves out records without a total. */
const SCORED = "/records?limit=100&minScore=0";

const NULLABLE: readonly (readonly [string, Kind])[] = [
  ["id", like(/^r[0-9a-f]{24}$/)],
  ["doi", orNull(TEXT)],
  ["repository", orNull(TEXT)],
  ["title", orNull(TEXT)],
  ["pubDate", orNull(TEXT)],
  ["versionFamily", TEXT],
  ["scoreStatus", like(/^(scored|insufficient_evidence|failed)$/)],
];

const SCORE: readonly (readonly [string, Kind])[] = [
  ["score.total", PERCENT],
  ...["S", "H", "A", "R", "E"].map((bucket): [string, Kind] => [`score.bucketScores.${bucket}`, POINTS]),
  ["score.status", exactly("scored")],
  ["shareScore", PERCENT],
  ["stewardshipScore", POINTS],
  ["harmonizationScore", POINTS],
  ["accessScore", POINTS],
  ["engagementScore", POINTS],
  ["cap", PERCENT],
  ["shareOfCap", PERCENT],
  ["passedOfEvaluable", PERCENT],
  ["range.least", PERCENT],
  ["range.most", PERCENT],
];

export const RECORD_MEMBERS = [
  ...NULLABLE.map(([name]) => name),
  "score",
  "shareScore",
  "stewardshipScore",
  "harmonizationScore",
  "accessScore",
  "engagementScore",
  "reuseScore",
  "reusabilityScore",
  "cap",
  "shareOfCap",
  "passedOfEvaluable",
  "range",
];

const FLAT = {
  shareScore: "total",
  stewardshipScore: "bucketScores.S",
  harmonizationScore: "bucketScores.H",
  accessScore: "bucketScores.A",
  engagementScore: "bucketScores.E",
} as const;

const SUM = json("score.total is the sum of its buckets", (body) => {
  const wrong = listAt(body, "data").find((entry) => {
    const points = ["S", "H", "A", "R", "E"].map((bucket) => numberAt(entry, `score.bucketScores.${bucket}`));
    return points.reduce((sum, value) => sum + value, 0) !== numberAt(entry, "score.total");
  });
  return wrong === undefined ? null : shown(wrong);
});

const BESIDE_TOTAL = json("total ≤ range.most ≤ cap, and shareOfCap is the total by the cap", (body) => {
  const wrong = listAt(body, "data").find((entry) => {
    const [total, cap] = [numberAt(entry, "score.total"), numberAt(entry, "cap")];
    const [least, most] = [numberAt(entry, "range.least"), numberAt(entry, "range.most")];
    const share = numberAt(entry, "shareOfCap");
    return least !== total || most < total || most > cap || Math.abs(share - (100 * total) / cap) > 0.005 + 1e-9;
  });
  return wrong === undefined ? null : shown(wrong);
});

function equals(flat: string, inner: string) {
  return json(`${flat} equals score.${inner}`, (body) => {
    const wrong = listAt(body, "data").find((entry) => at(entry, flat) !== at(entry, `score.${inner}`));
    return wrong === undefined ? null : shown(wrong);
  });
}

const FAILED = json("a record that is not scored has score null and every flat score null", (body) => {
  const failed = listAt(body, "data").filter((entry) => at(entry, "scoreStatus") !== "scored");
  const flat = RECORD_MEMBERS.filter((name) => name === "score" || name.endsWith("Score"));
  if (failed.length === 0) return "every record is scored";
  const wrong = failed.find((entry) => flat.some((name) => at(entry, name) !== null));
  return wrong === undefined ? null : shown(wrong);
});

function under(rubric: string, own: string, other: string) {
  const path = `${SCORED}&rubric=${rubric}`;
  return clause(`interface.md, Record (dataset) row under ${rubric}`, [
    ...NULLABLE.map(([name, wanted]) => row(name, path, OK, every("data", name, wanted))),
    ...SCORE.map(([name, wanted]) => row(name, path, OK, every("data", name, wanted))),
    row("total equals the sum of the buckets", path, OK, SUM),
    row("the numbers beside a total agree with it (decisions.md, Rows)", path, OK, BESIDE_TOTAL),
    ...Object.entries(FLAT).map(([flat, inner]) => row(`flat shape: ${flat}`, path, OK, equals(flat, inner))),
    row(`${own} is the R bucket`, path, OK, every("data", own, POINTS), equals(own, "bucketScores.R")),
    row(`${other} is null: R of 2.0 is never mapped to the legacy reuse field`, path, OK, every("data", other, NULL)),
    row("keys are always present (decisions.md, Rows)", path, OK, members("data", RECORD_MEMBERS)),
    row(
      "score of a list row has total, bucketScores and status",
      path,
      OK,
      every(
        "data",
        "score",
        kind("those three", (value) => Object.keys(Object(value)).sort().join() === "bucketScores,status,total"),
      ),
    ),
    row("a record may be unscored", `/records?limit=100&search=10.5072/sparse&rubric=${rubric}`, OK, FAILED),
    row(
      "an unscored row has the same keys",
      `/records?limit=100&search=10.5072/sparse&rubric=${rubric}`,
      OK,
      members("data", RECORD_MEMBERS),
    ),
  ]);
}

export const RECORD_ROWS: readonly Statement[] = [
  ...under("2.0", "reusabilityScore", "reuseScore"),
  ...under("1.0", "reuseScore", "reusabilityScore"),
  ...clause("interface.md, What the service does", [
    row(
      "the two versions are two scores",
      "/records?limit=100&rubric=1.0",
      OK,
      unlike("/records?limit=100&rubric=2.0"),
    ),
    row(
      "id is never a DOI",
      "/records?limit=100",
      OK,
      json("no id is its doi", (body) => {
        const wrong = listAt(body, "data").find((entry) => at(entry, "id") === at(entry, "doi"));
        return wrong === undefined ? null : shown(wrong);
      }),
    ),
    row(
      "scores are whole multiples of four",
      SCORED,
      OK,
      every(
        "data",
        "score.total",
        kind("a multiple of 4", (value) => isNumber(value) && value % 4 === 0),
      ),
    ),
  ]),
];
