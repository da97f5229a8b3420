/** Statements about one record: its score, masks and signals, and, separately, its observed use. */

import { ALIAS, COMPLETE, FAILED, IDENTIFIERS, makeRecordId, RECORD, TRIAL } from "./addresses.ts";
import { every, field, header, json, members, OK, sameAs, status, unlike } from "./expectations.ts";
import { RECORD_MEMBERS } from "./record-rows.ts";
import { clause, row, type Statement } from "./statement.ts";
import {
  ARRAY,
  at,
  exactly,
  type Kind,
  kind,
  like,
  listAt,
  MASK,
  NULL,
  numberAt,
  OBJECT,
  orNull,
  PERCENT,
  POINTS,
  shown,
  TEXT,
  textAt,
} from "./values.ts";

const MASKS = ["supportedMask", "evaluableMask", "passedMask", "sourceMissingMask", "failedMask"] as const;
const STATES = /^(passed|absent|unsupported|not_evaluable|source_missing|failed)$/;
const BUCKETS = ["S", "H", "A", "R", "E"] as const;

const DETAIL: readonly (readonly [string, Kind])[] = [
  ["id", exactly(makeRecordId(IDENTIFIERS.winner))],
  ["doi", exactly("10.5281/zenodo.99000001")],
  ["repository", exactly("Zenodo")],
  ["title", exactly("Footfall counts of the old market")],
  ["pubDate", exactly("2024-05-17")],
  ["scoreStatus", exactly("scored")],
  ["score", OBJECT],
  ["score.total", PERCENT],
  ...BUCKETS.map((bucket): [string, Kind] => [`score.bucketScores.${bucket}`, POINTS]),
  ["score.status", exactly("scored")],
  ...MASKS.map((mask): [string, Kind] => [`score.${mask}`, MASK]),
  ["authors", ARRAY],
  ["authors.0.id", like(/^a[0-9a-f]{24}$/)],
  ["authors.0.name", exactly("Vance, Mirela")],
  ["authors.0.affiliation", TEXT],
  ["authors.0.slug", exactly("mirela-vance-0000-0005-1200-0216")],
  ["authors.0.orcid", exactly("0000-0005-1200-0216")],
  ["identifier", exactly(IDENTIFIERS.winner)],
  ["url", orNull(TEXT)],
  ["recordKind", orNull(TEXT)],
  ["accessStatus", exactly("open")],
  ["license", orNull(TEXT)],
  ["version", exactly("1.0")],
  ["signals", ARRAY],
  ["cap", PERCENT],
  ["observedUse.views", exactly(9000)],
  ["observedUse.downloads", exactly(40)],
  ["observedUse.citations", exactly(31)],
  ["source.name", TEXT],
  ["source.identifier", TEXT],
  ["source.retrievedAt", orNull(TEXT)],
  ["source.payloadDigest", TEXT],
  ["source.pledgeStatus", like(/^(community-assessed|self-attested|verified)$/)],
  ["aliases", exactly([{ id: makeRecordId(IDENTIFIERS.loser), identifier: IDENTIFIERS.loser }])],
];

const DETAIL_MEMBERS = [
  ...RECORD_MEMBERS,
  "identifier",
  "url",
  "recordKind",
  "accessStatus",
  "diseases",
  "ageGroups",
  "dataTypes",
  "license",
  "version",
  "values",
  "authors",
  "signals",
  "masks",
  "observedUse",
  "source",
  "aliases",
];

const SIGNALS: readonly (readonly [string, Kind])[] = [
  ["id", like(/^[SHARE][1-5]$/)],
  ["name", TEXT],
  ["bucket", like(/^[SHARE]$/)],
  ["bit", kind("0 to 24", (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 24)],
  ["state", like(STATES)],
  ["points", kind("0 or 4", (value) => value === 0 || value === 4)],
  ["field", orNull(TEXT)],
  ["evidence", OBJECT],
  ["advice", orNull(TEXT)],
];

const bits = (mask: number) => mask.toString(2).replaceAll("0", "").length;
const mask = (body: unknown, name: (typeof MASKS)[number]) => numberAt(body, `score.${name}`);

const ORDER = json("S1 to S5, H1 to H5, A1 to A5, R1 to R5, E1 to E5, bits 0 to 24", (body) => {
  const seen = listAt(body, "signals").map((signal) => `${textAt(signal, "id")}:${numberAt(signal, "bit")}`);
  const wanted = BUCKETS.flatMap((bucket, i) => [1, 2, 3, 4, 5].map((n) => `${bucket}${n}:${i * 5 + n - 1}`));
  return seen.join() === wanted.join() ? null : shown(seen);
});

const TOTAL = json(
  "total is 4 × the bits of passedMask, cap 4 × those of supportedMask, each bucket 4 × its five",
  (body) => {
    const passed = mask(body, "passedMask");
    const buckets = BUCKETS.every(
      (bucket, i) => numberAt(body, `score.bucketScores.${bucket}`) === 4 * bits((passed >> (5 * i)) & 31),
    );
    const right =
      numberAt(body, "score.total") === 4 * bits(passed) &&
      numberAt(body, "cap") === 4 * bits(mask(body, "supportedMask"));
    return buckets && right ? null : shown(at(body, "score"));
  },
);

const DISJOINT = json("passed ⊆ evaluable ⊆ supported; missing and failed ⊆ supported; the three disjoint", (body) => {
  const [supported = 0, evaluable = 0, passed = 0, missing = 0, failed = 0] = MASKS.map((name) => mask(body, name));
  const within = (passed & ~evaluable) | (evaluable & ~supported) | (missing & ~supported) | (failed & ~supported);
  const shared = (evaluable & missing) | (evaluable & failed) | (missing & failed);
  return within === 0 && shared === 0 ? null : shown(at(body, "score"));
});

/** Returns the state of a signal, by its bit in the masks. */
function readState(body: unknown, bit: number): string {
  const has = (name: (typeof MASKS)[number]) => (mask(body, name) >> bit) % 2 === 1;
  if (!has("supportedMask")) return "unsupported";
  if (has("passedMask")) return "passed";
  if (has("failedMask")) return "failed";
  if (has("sourceMissingMask")) return "source_missing";
  return has("evaluableMask") ? "absent" : "not_evaluable";
}

const REFLECTED = json("each signal's state is what the masks say, and only a passed one has points", (body) => {
  const wrong = listAt(body, "signals").find((signal) => {
    const state = readState(body, numberAt(signal, "bit"));
    return textAt(signal, "state") !== state || numberAt(signal, "points") !== (state === "passed" ? 4 : 0);
  });
  return wrong === undefined ? null : shown(wrong);
});

const QUIET = json("an unsupported signal has no field and no advice, a passed one no advice", (body) => {
  const wrong = listAt(body, "signals").find((signal) => {
    const state = textAt(signal, "state");
    return (
      (state === "unsupported" && at(signal, "field") !== null) ||
      (/unsupported|passed/.test(state) && at(signal, "advice") !== null)
    );
  });
  return wrong === undefined ? null : shown(wrong);
});

const RECORDS = { "a Zenodo record": RECORD, "a DataCite record": COMPLETE, "a trial": TRIAL } as const;
const VERSIONS = ["2.0", "1.0"] as const;

export const RECORD_DETAIL: readonly Statement[] = [
  ...clause("interface.md, Record (dataset) row: detail", [
    ...DETAIL.map(([name, wanted]) => row(name, RECORD, OK, field(name, wanted))),
    row("keys are always present", RECORD, OK, members("", DETAIL_MEMBERS)),
    row("keys are always present under 1.0", `${RECORD}?rubric=1.0`, OK, members("", DETAIL_MEMBERS)),
    row("members of an author", COMPLETE, OK, members("authors", "id name affiliation slug orcid")),
    row("facets of a trial: diseases", TRIAL, OK, field("diseases", exactly(["Insomnia"]))),
    row("facets of a trial: ageGroups", TRIAL, OK, field("ageGroups", exactly(["OLDER_ADULT"]))),
    row("facets of a trial: dataTypes", TRIAL, OK, field("dataTypes", exactly(["INTERVENTIONAL"]))),
    row("a record without DOI", TRIAL, OK, field("doi", NULL)),
    row("no rubric means 2.0", RECORD, OK, sameAs(`${RECORD}?rubric=2.0`), field("reuseScore", NULL)),
    row(
      "rubric=1.0 selects the historical scores",
      `${RECORD}?rubric=1.0`,
      OK,
      unlike(RECORD),
      field("reuseScore", POINTS),
      field("reusabilityScore", NULL),
    ),
    row("id is the route and join key of the list", RECORD, OK, field("id", exactly(RECORD.slice(9)))),
    row("the DOI does not work as the id", "/records/10.5281%2Fzenodo.99000001", status(404)),
    row(
      "a failed record has a response, without scores",
      FAILED,
      OK,
      field("score", NULL),
      field("scoreStatus", exactly("failed")),
    ),
    row("another source's id of the record is redirected to it", ALIAS, status(308), header("location", RECORD)),
    row("a redirect keeps the query", `${ALIAS}?rubric=1.0`, status(308), header("location", `${RECORD}?rubric=1.0`)),
    row(
      "the page says which release it is of in a header, not in its bytes",
      RECORD,
      header("share-release", /^sha256:[0-9a-f]{64}$/),
      field(
        "_meta",
        kind("absent", (value) => value === undefined),
      ),
    ),
  ]),
  ...clause(
    "interface.md, What the service does: 25 signals",
    Object.entries(RECORDS).flatMap(([name, path]) =>
      VERSIONS.flatMap((rubric) => {
        const asked = `${path}?rubric=${rubric}`;
        const of = `${name} under ${rubric}`;
        return [
          row(`25 signals in a fixed order: ${of}`, asked, OK, ORDER),
          row(`total and cap follow from the masks: ${of}`, asked, OK, TOTAL),
          row(`invariants of the masks: ${of}`, asked, OK, DISJOINT),
          row(`states are distinct and in the masks: ${of}`, asked, OK, REFLECTED),
          row(`unsupported is never presented as absence: ${of}`, asked, OK, QUIET),
          ...SIGNALS.map(([member, wanted]) =>
            row(`signal ${member}: ${of}`, asked, OK, every("signals", member, wanted)),
          ),
        ];
      }),
    ),
  ),
];
