/** Statements about the filters of GET /records. Each filter selects exactly the matching rows, and has bounds. */

import { ODD_LABEL } from "../corpus.ts";
import { IDENTIFIERS, makeRecordId } from "./addresses.ts";
import { every, expectSome, field, json, NOTHING, OK, rejected, sameAs } from "./expectations.ts";
import { asked, clause, type Expectation, row, type Statement } from "./statement.ts";
import {
  ARRAY,
  at,
  exactly,
  INTEGER,
  isNumber,
  type Kind,
  kind,
  like,
  listAt,
  MASK,
  numberAt,
  parseJson,
  shown,
  TEXT,
  textAt,
} from "./values.ts";

const LIST = "/records?limit=100";
const LOOKED_UP = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ identifiers: [IDENTIFIERS.loser, "10.5072/nothing", "junk"] }),
} as const;
const encoded = encodeURIComponent;

/** Expects a value of the wanted kind on the page of each listed record, because rows do not show every field of a filter. */
function everyDetail(path: string, wanted: Kind): Expectation {
  return {
    text: `every record's ${path} is ${wanted.name}`,
    async fault({ text }, ask) {
      for (const entry of listAt(parseJson(text), "data").slice(0, 12)) {
        const value = at(parseJson((await ask(`/records/${textAt(entry, "id")}`)).text), path);
        if (!wanted.is(value)) return `${path} is ${shown(value)} of ${textAt(entry, "id")}`;
      }
      return null;
    },
  };
}

const holds = (value: string) => kind(`a list with ${value}`, (list) => Array.isArray(list) && list.includes(value));
const between = (least: number, most: number) =>
  kind(`from ${least} to ${most}`, (value) => isNumber(value) && value >= least && value <= most);
const supports = (least: number) =>
  kind(
    `a mask of at least ${least} bits`,
    (value) => MASK.is(value) && Number(value).toString(2).replaceAll("0", "").length >= least,
  );

const EXACT = [
  { name: "repository", value: "Zenodo", expects: [every("data", "repository", exactly("Zenodo"))] },
  { name: "recordKind", value: "trial", expects: [everyDetail("recordKind", exactly("trial"))] },
  { name: "disease", value: "Insomnia", expects: [everyDetail("diseases", holds("Insomnia"))] },
  { name: "ageGroup", value: "ADULT", expects: [everyDetail("ageGroups", holds("ADULT"))] },
  { name: "dataType", value: "OBSERVATIONAL", expects: [everyDetail("dataTypes", holds("OBSERVATIONAL"))] },
  { name: "accessStatus", value: "embargoed", expects: [everyDetail("accessStatus", exactly("embargoed"))] },
] as const;

const LENGTHS = {
  identifier: 512,
  recordKind: 80,
  disease: 256,
  ageGroup: 120,
  dataType: 256,
  accessStatus: 80,
} as const;

const ONLY = (identifier: string) => [
  field("pagination.total", exactly(1)),
  field("data.0.id", exactly(makeRecordId(identifier))),
];

const DOI = IDENTIFIERS.loser.replace("datacite/", "");
const DOI_SPELLINGS = [
  DOI,
  DOI.toUpperCase(),
  `doi:${DOI}`,
  ` ${DOI}`,
  `https://doi.org/${DOI}`,
  `http://dx.doi.org/${DOI.toUpperCase()}`,
  `https://doi.org/${encoded(DOI)}`,
];

const COMPLEMENT = json("minScore and maxScore around it share the scored records out", (body) =>
  numberAt(body, "pagination.total") > 0 ? null : "nothing is selected",
);

export const FILTERS: readonly Statement[] = [
  ...clause("interface.md, GET /records filters", [
    ...EXACT.flatMap(({ name, value, expects }) => [
      row(`${name} selects`, `${LIST}&${name}=${encoded(value)}`, OK, expectSome("/records"), ...expects),
      row(
        `${name} applies under 1.0 too`,
        `${LIST}&${name}=${encoded(value)}&rubric=1.0`,
        OK,
        expectSome("/records?rubric=1.0"),
      ),
      row(`${name} matches exactly: not in part`, `${LIST}&${name}=${encoded(value.slice(0, -1))}`, OK, NOTHING),
      ...(name === "repository"
        ? []
        : [
            row(
              `${name} matches exactly: not in another case`,
              `${LIST}&${name}=${encoded(value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase())}`,
              OK,
              NOTHING,
            ),
          ]),
      row(`${name} matches exactly: not with a space`, `${LIST}&${name}=${encoded(`${value} `)}`, OK, NOTHING),
      row(`${name} is bound, never SQL`, `${LIST}&${name}=${encoded(`${value}' or '1'='1`)}`, OK, NOTHING),
      row(`${name} has no wildcards`, `${LIST}&${name}=%25`, OK, NOTHING),
      row(`${name} once`, `${LIST}&${name}=a&${name}=b`, rejected(400, "invalid-parameter", name)),
    ]),
    row(
      "repository of an awkward label",
      `${LIST}&repository=${encoded(ODD_LABEL)}`,
      OK,
      field("pagination.total", exactly(1)),
      field("data.0.repository", exactly(ODD_LABEL)),
    ),
    row(
      "a plus in a query is a space",
      `${LIST}&repository=Norvale+Data+Archive`,
      OK,
      sameAs(`${LIST}&repository=Norvale%20Data%20Archive`),
      expectSome("/records"),
    ),
    ...Object.entries(LENGTHS).flatMap(([name, most]) => [
      row(`${name} of ${most} characters`, `/records?${name}=${"a".repeat(most)}`, OK, NOTHING),
      row(`${name} of ${most} characters outside ASCII`, `/records?${name}=${encoded("é".repeat(most))}`, OK, NOTHING),
      row(
        `${name} of one character more`,
        `/records?${name}=${"a".repeat(most + 1)}`,
        rejected(400, "invalid-parameter", name),
      ),
    ]),
    row(
      "identifier selects the one record",
      `/records?identifier=${IDENTIFIERS.trial}`,
      OK,
      ...ONLY(IDENTIFIERS.trial),
    ),
    row(
      "identifier, percent-encoded",
      `/records?identifier=${encoded(IDENTIFIERS.trial)}`,
      OK,
      ...ONLY(IDENTIFIERS.trial),
    ),
    row(
      "identifier of an alias finds the winner",
      `/records?identifier=${IDENTIFIERS.loser}`,
      OK,
      ...ONLY(IDENTIFIERS.winner),
    ),
    row("identifier is exact", "/records?identifier=zenodo/9900000", OK, NOTHING),
    row("identifier of a tombstone selects nothing", `/records?identifier=${IDENTIFIERS.tombstone}`, OK, NOTHING),
    ...[
      IDENTIFIERS.loser.replace(/^datacite\/(.*)$/, (_whole, doi: string) => `DataCite/${doi.toUpperCase()}`),
      IDENTIFIERS.winner.replace("zenodo/", "https://zenodo.org/records/"),
    ].map((spelling) =>
      row(
        `identifier in another spelling: ${spelling}`,
        `/records?identifier=${encoded(spelling)}`,
        OK,
        ...ONLY(IDENTIFIERS.winner),
      ),
    ),
    row("identifier of a failed record", `/records?identifier=${IDENTIFIERS.failed}`, OK, ...ONLY(IDENTIFIERS.failed)),
    row("an empty identifier selects nothing", "/records?identifier=", OK, NOTHING),
    row("an invalid identifier selects nothing", "/records?identifier=soil%20moisture", OK, NOTHING),
  ]),
  ...clause("decisions.md, Requests: filters of records", [
    ...["ZENODO", "zenodo", "zeNodo"].map((label) =>
      row(`repository in any case: ${label}`, `${LIST}&repository=${label}`, OK, sameAs(`${LIST}&repository=Zenodo`)),
    ),
    ...["doi", "identifier"].flatMap((name) =>
      DOI_SPELLINGS.map((spelling) =>
        row(
          `${name} takes a DOI in any spelling: ${spelling}`,
          `/records?${name}=${encoded(spelling)}`,
          OK,
          ...ONLY(IDENTIFIERS.winner),
        ),
      ),
    ),
    row("doi of nothing here", "/records?doi=10.5072/nothing", OK, NOTHING),
    ...["", "soil", "10.5072", "10.5072/", "zenodo/1", "junk 10.5072/a", "10.5072/a junk"].map((value) =>
      row(
        `doi is not ${value || "empty"}`,
        `/records?doi=${encoded(value)}`,
        rejected(400, "invalid-parameter", "doi"),
      ),
    ),
    row("doi is not a list", "/records?doi=10.5072/a,10.5072/b", rejected(400, "invalid-parameter", "doi")),
    row("doi once", "/records?doi=10.5072/a&doi=10.5072/a", rejected(400, "invalid-parameter", "doi")),
  ]),
  ...clause("decisions.md, Requests: filters by signal and source", [
    row(
      "source selects",
      `${LIST}&source=zenodo`,
      OK,
      expectSome("/records"),
      everyDetail("source.identifier", like(/^zenodo\//)),
    ),
    row("a source that is unknown", "/records?source=nothing", OK, NOTHING),
    ...["passed", "absent", "unsupported", "source_missing", "failed", "not_evaluable"].map((state) =>
      row(
        `signals selects S1 ${state}`,
        `${LIST}&signals=S1:${state}`,
        OK,
        everyDetail("signals.0.state", exactly(state)),
      ),
    ),
    row(
      "several signals are joined by and",
      `${LIST}&signals=S1:passed,S2:absent`,
      OK,
      expectSome(`${LIST}&signals=S1:passed`),
      everyDetail("signals.1.state", exactly("absent")),
    ),
    ...["", "S1", "S6:passed", "S1:lacking", "S1:passed,", "S1:passed,S1:absent"].map((value) =>
      row(
        `signals is not ${value || "empty"}`,
        `/records?signals=${value}`,
        rejected(400, "invalid-parameter", "signals"),
      ),
    ),
  ]),
  ...clause("decisions.md, Requests: lookup", [
    asked(
      "a list of identifiers",
      "/records/lookup",
      LOOKED_UP,
      OK,
      field("data.0.record.id", exactly(makeRecordId(IDENTIFIERS.winner))),
      field("data.1.reason", exactly("unknown")),
      field("data.2.reason", exactly("malformed")),
    ),
    asked(
      "a list without identifiers",
      "/records/lookup",
      { ...LOOKED_UP, body: "{}" },
      rejected(400, "invalid-body", "identifiers: must be a list of identifiers"),
    ),
    asked(
      "another media type",
      "/records/lookup",
      { ...LOOKED_UP, headers: { "content-type": "application/xml" } },
      rejected(415, "unsupported-media-type"),
    ),
  ]),
  ...clause("decisions.md, Requests: improvements", [
    row(
      "the signals to fix first",
      "/improvements",
      OK,
      field("data.datasets", INTEGER),
      field("data.improvements.0.signal", TEXT),
    ),
    row("improvements under a filter", "/improvements?repository=Zenodo&minScore=20", OK),
    row("improvements of a repository", "/repositories/Zenodo/improvements", OK, field("data.datasets", INTEGER)),
    row(
      "improvements of an unknown repository",
      "/repositories/Nowhere/improvements",
      rejected(404, "repository-not-found"),
    ),
    row("improvements have no pages", "/improvements?page=2", rejected(400, "invalid-parameter", "page")),
    row("the signals that copies lose", "/repositories/Zenodo/crosswalk", OK, field("data", ARRAY)),
    row(
      "a crosswalk of an unknown repository",
      "/repositories/Nowhere/crosswalk",
      rejected(404, "repository-not-found"),
    ),
  ]),
  ...clause("interface.md, GET /records filters: scores", [
    row(
      "minScore selects",
      `${LIST}&minScore=40`,
      OK,
      expectSome("/records"),
      every("data", "score.total", between(40, 100)),
    ),
    row(
      "maxScore selects",
      `${LIST}&maxScore=20`,
      OK,
      expectSome("/records"),
      every("data", "score.total", between(0, 20)),
    ),
    row(
      "both together",
      `${LIST}&minScore=20&maxScore=28`,
      OK,
      expectSome("/records"),
      every("data", "score.total", between(20, 28)),
    ),
    row("bounds are inclusive", `${LIST}&minScore=24&maxScore=24`, OK, every("data", "score.total", exactly(24))),
    row(
      "of the selected version",
      `${LIST}&minScore=40&rubric=1.0`,
      OK,
      every("data", "score.total", between(40, 100)),
    ),
    row("minScore=0 leaves out failed records", `${LIST}&minScore=0`, OK, expectSome("/records"), COMPLEMENT),
    row(
      "maxScore=100 leaves out failed records",
      `${LIST}&maxScore=100`,
      OK,
      expectSome("/records"),
      sameAs(`${LIST}&minScore=0`),
    ),
    row("minScore=100", "/records?minScore=100", OK),
    row("maxScore=0", "/records?maxScore=0", OK),
    row("a decimal", `${LIST}&minScore=39.5`, OK, sameAs(`${LIST}&minScore=40`)),
    row("a decimal of any length", `${LIST}&minScore=38.96984089297771`, OK, sameAs(`${LIST}&minScore=40`)),
    row("a decimal that begins with its point", `${LIST}&minScore=.5`, OK, sameAs(`${LIST}&minScore=1`)),
    row("an exponent with its sign", `${LIST}&maxScore=2.79E%2B1`, OK, sameAs(`${LIST}&maxScore=27`)),
    row("a number with an exponent", `${LIST}&minScore=4e1`, OK, sameAs(`${LIST}&minScore=40`)),
    row("nothing lies between when turned round", "/records?minScore=60&maxScore=40", OK, NOTHING),
    ...["minScore", "maxScore"].flatMap((name) =>
      ["-1", "-0.01", "100.01", "101", "abc", "", "1e3", "e1", "NaN", "Infinity", "0x10", "%205", "5,5"].map((value) =>
        row(
          `${name} is not ${value || "empty"}`,
          `/records?${name}=${value}`,
          rejected(400, "invalid-parameter", name),
        ),
      ),
    ),
    row(
      "minSupportedChecks selects",
      `${LIST}&minSupportedChecks=22`,
      OK,
      expectSome("/records"),
      everyDetail("score.supportedMask", supports(22)),
    ),
    row(
      "minSupportedChecks is a number",
      `${LIST}&minSupportedChecks=21.5`,
      OK,
      sameAs(`${LIST}&minSupportedChecks=22`),
    ),
    row("minSupportedChecks=0", `${LIST}&minSupportedChecks=0`, OK),
    row("minSupportedChecks=25", `${LIST}&minSupportedChecks=25`, OK, everyDetail("score.supportedMask", supports(25))),
    ...["-1", "26", "abc", ""].map((value) =>
      row(
        `minSupportedChecks is not ${value || "empty"}`,
        `/records?minSupportedChecks=${value}`,
        rejected(400, "invalid-parameter", "minSupportedChecks"),
      ),
    ),
    row(
      "filters are joined by and",
      `${LIST}&repository=Zenodo&accessStatus=open&minScore=40`,
      OK,
      expectSome(`${LIST}&repository=Zenodo&accessStatus=open`),
      every("data", "repository", exactly("Zenodo")),
    ),
    row(
      "every offending filter is named",
      "/records?minScore=-1&maxScore=x&minSupportedChecks=26",
      rejected(400, "invalid-parameter", "minScore", "maxScore", "minSupportedChecks"),
    ),
  ]),
];
