/** Statements about errors. For each error there is a release that was really built without the part that the request needs. */

import {
  AUTHOR,
  DATASET_BADGE,
  IDENTIFIERS,
  makeRecordId,
  RECORD,
  REPOSITORY_BADGE,
  RESEARCHER_BADGE,
  UNKNOWN,
} from "./addresses.ts";
import { field, json, OK, rejected, status } from "./expectations.ts";
import { asked, clause, lacking, type Row, row, type Statement } from "./statement.ts";
import { exactly, shown, textAt } from "./values.ts";

const VERSIONED = [
  "/records",
  RECORD,
  `${RECORD}/impact`,
  "/authors",
  AUTHOR,
  "/metrics/live",
  "/metrics/history",
  "/institutions",
  "/geography",
];

const reason = (words: RegExp) =>
  json(`its detail says ${words.source}`, (body) => {
    const detail = textAt(body, "detail");
    return words.test(detail) ? null : shown(detail);
  });

const BAD_SORTS: readonly Row[] = ["/institutions", "/geography", "/records", "/authors"].map((path) =>
  row("unsupported sort", `${path}?sortBy=shoeSize`, rejected(400, "invalid-parameter", "sortBy")),
);

const BAD_CODES: readonly Row[] = ["XXX", "ZZZ", "AU", "AUTT", "A1T", "AU%20", "%C3%85UT", "", "1234"].map((code) =>
  row(
    `unsupported country code: ${code || "empty"}`,
    `/institutions?countryCode=${code}`,
    rejected(400, "invalid-parameter", "countryCode"),
  ),
);

const NO_RUBRIC: readonly Row[] = [
  ...VERSIONED.map((path) =>
    lacking("2.0 only", `no data under 1.0: ${path}`, `${path}?rubric=1.0`, rejected(409, "rubric-not-published")),
  ),
  ...VERSIONED.map((path) =>
    lacking("1.0 only", `no data under the default 2.0: ${path}`, path, rejected(409, "rubric-not-published")),
  ),
  ...[DATASET_BADGE, REPOSITORY_BADGE, RESEARCHER_BADGE].map((path) =>
    lacking("1.0 only", `badges are of 2.0, where nothing is asked: ${path}`, path, status(409)),
  ),
  ...VERSIONED.map((path) => lacking("2.0 only", `what is there is answered: ${path}`, path, OK)),
  ...VERSIONED.map((path) => lacking("1.0 only", `what is there is answered: ${path}`, `${path}?rubric=1.0`, OK)),
  lacking("2.0 only", "a query too", "/records?rubric=1.0&page=2&search=a", rejected(409, "rubric-not-published")),
  lacking(
    "2.0 only",
    "malformed comes before unpublished",
    "/records?rubric=1.0&page=0",
    rejected(400, "invalid-parameter", "page"),
  ),
];

const NO_ATTRIBUTION: readonly Row[] = [
  ...[
    "/institutions",
    "/geography",
    "/institutions?rubric=1.0",
    "/geography?rubric=1.0",
    "/institutions?page=2",
    "/geography?sortOrder=desc",
  ].map((path) =>
    lacking(
      "without attribution and history",
      `selected release has no complete attribution receipt: ${path}`,
      path,
      rejected(409, "attribution-not-published"),
    ),
  ),
  lacking(
    "without attribution and history",
    "malformed comes first",
    "/institutions?countryCode=XX",
    rejected(400, "invalid-parameter", "countryCode"),
  ),
  lacking("without attribution and history", "the rest is answered", "/records", OK),
  lacking("without attribution and history", "researchers are answered", "/authors", OK),
];

const NO_HISTORY: readonly Row[] = [
  lacking(
    "without attribution and history",
    "no published historical metrics",
    "/metrics/history",
    rejected(409, "history-not-published"),
  ),
  lacking(
    "without attribution and history",
    "no published historical metrics under 1.0",
    "/metrics/history?rubric=1.0",
    rejected(409, "history-not-published"),
  ),
  lacking("without attribution and history", "live metrics are answered", "/metrics/live", OK),
];

const MISSING: readonly Row[] = [
  row("dataset not found", UNKNOWN, rejected(404, "dataset-not-found"), reason(/harvested/)),
  row("dataset not found: impact", `${UNKNOWN}/impact`, rejected(404, "dataset-not-found")),
  row("dataset not found: a DOI for an id", "/records/10.5281", rejected(404, "dataset-not-found")),
  row(
    "dataset not found: capitals",
    RECORD.toUpperCase().replace("/RECORDS", "/records"),
    rejected(404, "dataset-not-found"),
  ),
  row(
    "the reason: withdrawn at its source",
    `/records/${makeRecordId(IDENTIFIERS.tombstone)}`,
    rejected(404, "dataset-not-found"),
    reason(/withdrawn|deleted/),
  ),
  row(
    "the reason: not a dataset",
    `/records/${makeRecordId(IDENTIFIERS.software)}`,
    rejected(404, "dataset-not-found"),
    reason(/not a dataset/),
  ),
  row(
    "the reason for its impact too",
    `/records/${makeRecordId(IDENTIFIERS.tombstone)}/impact`,
    rejected(404, "dataset-not-found"),
    reason(/withdrawn|deleted/),
  ),
  row("researcher not found", "/authors/nobody", rejected(404, "researcher-not-found")),
  row(
    "researcher not found: an ORCID nobody here has",
    "/authors/x-0000-0001-5109-3700",
    rejected(404, "researcher-not-found"),
  ),
  row("researcher not found: odd characters", "/authors/%E2%80%AE", rejected(404, "researcher-not-found")),
  row("nothing at an address", "/nothing", rejected(404, "not-found")),
  row("paths are case-sensitive", "/Records", rejected(404, "not-found")),
];

export const ERRORS: readonly Statement[] = [
  ...clause("interface.md, Errors: 400 unsupported SHARE version", [
    ...VERSIONED.map((path) =>
      row(`unsupported: ${path}`, `${path}?rubric=3.0`, rejected(400, "unsupported-rubric", "rubric")),
    ),
    ...VERSIONED.map((path) =>
      row(
        `a contract identifier is none: ${path}`,
        `${path}?rubric=2.0.0-beta.2`,
        rejected(400, "unsupported-rubric", "rubric"),
      ),
    ),
    ...VERSIONED.map((path) =>
      row(`given twice: ${path}`, `${path}?rubric=2.0&rubric=1.0`, rejected(400, "invalid-parameter", "rubric")),
    ),
    row(
      "an unknown record under an unsupported version",
      `${UNKNOWN}?rubric=3.0`,
      rejected(400, "unsupported-rubric", "rubric"),
    ),
  ]),
  ...clause(
    "interface.md, Errors: 400 unsupported rubric version",
    ["3.0", "2", "2.0.0-beta.9", "2.0.0", "latest", "%20", "index"].map((version) =>
      row(`/rubrics/${version}`, `/rubrics/${version}`, rejected(400, "unsupported-rubric", "version")),
    ),
  ),
  ...clause("interface.md, Errors: 400 unsupported sort or country code", [...BAD_SORTS, ...BAD_CODES]),
  ...clause("interface.md, Errors: 404", MISSING),
  ...clause("interface.md, Errors: 409 selected rubric has no published data", NO_RUBRIC),
  ...clause("interface.md, Errors: 409 no complete attribution receipt", NO_ATTRIBUTION),
  ...clause("interface.md, Errors: 409 no published historical metrics", NO_HISTORY),
  ...clause("decisions.md, Errors", [
    row(
      "instance is the path",
      "/records?page=0",
      rejected(400, "invalid-parameter", "page"),
      field("instance", exactly("/records")),
    ),
    asked(
      "405 for another method",
      "/records",
      { method: "POST", body: "{}", headers: { "content-type": "application/json" } },
      rejected(405, "method-not-allowed"),
    ),
    asked("405 for DELETE", RECORD, { method: "DELETE" }, rejected(405, "method-not-allowed")),
    asked("405 for PUT of a badge", DATASET_BADGE, { method: "PUT", body: "x" }, rejected(405, "method-not-allowed")),
    lacking("none", "nothing is published yet", "/records", rejected(503, "no-release")),
    lacking("none", "health is answered all the same", "/health", OK),
  ]),
];
