/** Statements about badges, which show a dataset's total, a repository's mean or a researcher's S-Index as SVG. */

import { scoreOfCap, tenths } from "../../../api-static/pages/numbers.ts";
import { findResponse } from "../../openapi/described.ts";
import { ODD_LABEL } from "../corpus.ts";
import {
  ALIAS,
  AUTHOR,
  DATASET_BADGE,
  FAILED,
  IDENTIFIERS,
  makeRecordId,
  RECORD,
  REPOSITORY_BADGE,
  RESEARCHER_BADGE,
  UNKNOWN,
} from "./addresses.ts";
import { header, OK, sameAs, status } from "./expectations.ts";
import { asked, clause, type Expectation, lacking, type PlainExpectation, row, type Statement } from "./statement.ts";
import { at, listAt, numberAt, parseJson, shown, textAt } from "./values.ts";

const SVG: PlainExpectation = {
  text: "one SVG document that loads and runs nothing",
  fault: ({ text }) => {
    const whole = /^<svg[\s>][\s\S]*<\/svg>\s*$/.test(text);
    return whole && !/<script|href\s*=\s*"http|onload|<image/i.test(text) ? null : text.slice(0, 200);
  },
};

/** Expects the badge to show this label and this message as text. */
function says(label: string, message: string): PlainExpectation {
  return {
    text: `it says ${label} | ${message}`,
    fault: ({ text }) =>
      text.includes(`>${label}<`) && text.includes(`>${message}<`) ? null : text.replace(/<[^>]*>/g, " ").trim(),
  };
}

function contains(part: string): PlainExpectation {
  return { text: `it has ${part}`, fault: ({ text }) => (text.includes(part) ? null : text.slice(0, 200)) };
}

/** Expects the badge to show the message that `getMessage` returns for the JSON response at another path. */
function agrees(label: string, path: string, getMessage: (body: unknown) => string): Expectation {
  return {
    text: `it says ${label} | what ${path} says`,
    async fault(reply, ask) {
      const wanted = getMessage(parseJson((await ask(path)).text));
      return reply.text.includes(`>${label}<`) && reply.text.includes(`>${wanted}<`)
        ? null
        : `${wanted}: ${reply.text.replace(/<[^>]*>/g, " ").trim()}`;
    },
  };
}

const readTotal = (body: unknown) => scoreOfCap(numberAt(body, "shareScore"), numberAt(body, "cap"));
const readIndex = (body: unknown) => String(numberAt(body, "sIndex"));

const badge = (id: string) => `/widgets/datasets/${id}/badge.svg`;
const repository = (label: string) => `/widgets/repositories/${encodeURIComponent(label)}/badge.svg`;

function readMean(label: string) {
  return (body: unknown) => {
    const entry = listAt(body, "repositoryBreakdown").find((each) => textAt(each, "repository") === label);
    const totals = Object.entries(Object(at(entry, "totalDistribution")));
    const sum = totals.reduce((all, [total, records]) => all + Number(total) * Number(records), 0);
    const count = numberAt(entry, "scoredCount");
    const caps = { sum: Math.round(numberAt(entry, "meanCap") * count), count };
    return scoreOfCap(tenths({ sum, count }), tenths(caps));
  };
}

/** Expects the badges of the records with the highest and the lowest share of their cap to have different colours. */
const TIERS: Expectation = {
  text: "coloured by the share of the cap",
  async fault({ text }, ask) {
    const colours = (svg: string) => [...svg.matchAll(/fill="(#[0-9a-f]{3,6})"/gi)].map(([, colour]) => colour).join();
    const [best] = listAt(parseJson((await ask("/records?sortBy=shareOfCap&sortOrder=desc&limit=1")).text), "data");
    const [worst] = listAt(parseJson((await ask("/records?sortBy=shareOfCap&limit=1")).text), "data");
    const [high, low] = await Promise.all([best, worst].map((entry) => ask(badge(textAt(entry, "id")))));
    if (high === undefined || low === undefined || colours(text) === "") return "no colours";
    return colours(high.text) === colours(low.text)
      ? `totals ${shown([at(best, "shareOfCap"), at(worst, "shareOfCap")])} look alike`
      : null;
  },
};

/** Expects a badge that shows an error: this status, and an SVG with this label and word. */
export const rejectedBadge = (wanted: number, label: string, word = "unknown"): readonly PlainExpectation[] => [
  status(wanted),
  SVG,
  header("content-type", /^image\/svg\+xml(; charset=utf-8)?$/i),
  says(label, word),
];
const UNKNOWN_BADGE = (label: string) => [...rejectedBadge(404, label), header("cache-control", "public, max-age=60")];

/** Expects JSON that shields.io accepts: version 1 of its schema, and a message. */
const ENDPOINT: PlainExpectation = {
  text: "one badge in the schema of shields.io",
  fault: ({ text }) => {
    const body = parseJson(text);
    return at(body, "schemaVersion") === 1 && textAt(body, "message") !== "" ? null : text.slice(0, 200);
  },
};

const ALL = { dataset: DATASET_BADGE, repository: REPOSITORY_BADGE, researcher: RESEARCHER_BADGE } as const;

/** Removes figures and colours from a badge, so that badges can be compared. */
const removeFigures = (svg: string) => svg.replace(/[\d.]+/g, "0").replace(/fill="#[0-9a-f]+"/g, "");

const EXAMPLE: PlainExpectation = {
  text: "it looks like the example of the OpenAPI document",
  fault({ text }) {
    const example = String(findResponse("repository-badge", 200)?.content?.["image/svg+xml"]?.example);
    return removeFigures(text) === removeFigures(example) ? null : text.slice(0, 200);
  },
};

export const BADGES: readonly Statement[] = [
  ...Object.entries(ALL).flatMap(([name, path]) =>
    clause(`interface.md, Endpoint table: SVG badges: ${name}`, [
      row("200, SVG badge", path, OK, SVG, header("content-type", /^image\/svg\+xml(; charset=utf-8)?$/i)),
      row("may run or load nothing when opened", path, OK, header("content-security-policy", /default-src 'none'/)),
      row("of 2.0, where nothing is asked", `${path}?rubric=2.0`, OK, sameAs(path)),
      row("of the version that is asked for", `${path}?rubric=1.0`, OK, SVG),
      row("in the style that is asked for", `${path}?style=flat-square`, OK, SVG),
      row("with the label that is asked for", `${path}?label=ours`, OK, SVG, contains(">ours<")),
      row("for shields.io", path.replace(".svg", ".json"), OK, ENDPOINT),
      asked("without a body on HEAD", path, { method: "HEAD" }, OK, header("content-type", /^image\/svg\+xml/)),
    ]),
  ),
  ...Object.entries(ALL).flatMap(([name, path]) =>
    clause(`decisions.md, URLs: Cache: ${name} badge`, [
      // A researcher who opts out is gone from shared caches within a minute (decisions.md, "Accounts").
      row(
        "cached for 300 s",
        path,
        OK,
        header("cache-control", name === "researcher" ? /^public, max-age=300, s-maxage=60$/ : /^public, max-age=300$/),
      ),
    ]),
  ),
  ...clause("decisions.md, URLs: Badges", [
    row("a dataset's total", DATASET_BADGE, OK, agrees("SHARE", RECORD, readTotal)),
    row("a repository's badge is as it is described", REPOSITORY_BADGE, OK, EXAMPLE),
    row("a repository's mean", REPOSITORY_BADGE, OK, agrees("SHARE mean", "/metrics/live", readMean("Zenodo"))),
    row("a researcher's S-Index", RESEARCHER_BADGE, OK, agrees("S-Index", AUTHOR, readIndex)),
    row("coloured by the share of the cap", DATASET_BADGE, OK, TIERS),
    row(
      "?rubric=1.0 chooses the version",
      `${DATASET_BADGE}?rubric=1.0`,
      OK,
      agrees("SHARE", `${RECORD}?rubric=1.0`, readTotal),
    ),
    row(
      "a repository's mean under 1.0",
      `${REPOSITORY_BADGE}?rubric=1.0`,
      OK,
      agrees("SHARE mean", "/metrics/live?rubric=1.0", readMean("Zenodo")),
    ),
    row(
      "a researcher's S-Index under 1.0",
      `${RESEARCHER_BADGE}?rubric=1.0`,
      OK,
      agrees("S-Index", `${AUTHOR}?rubric=1.0`, readIndex),
    ),
    row("an unsupported version is a badge too", `${DATASET_BADGE}?rubric=9`, ...rejectedBadge(400, "SHARE")),
    lacking(
      "2.0 only",
      "so is one that is not published",
      `${DATASET_BADGE}?rubric=1.0`,
      ...rejectedBadge(409, "SHARE"),
    ),
    lacking("none", "so is one before the first release", DATASET_BADGE, ...rejectedBadge(503, "SHARE", "try later")),
    row("failed: not scored", badge(FAILED.slice(9)), OK, says("SHARE", "not scored")),
    row("an alias is redirected", badge(ALIAS.slice(9)), status(308), header("location", DATASET_BADGE)),
    row("unknown dataset", badge(UNKNOWN.slice(9)), ...UNKNOWN_BADGE("SHARE")),
    row("a tombstone", badge(makeRecordId(IDENTIFIERS.tombstone)), ...UNKNOWN_BADGE("SHARE")),
    row("unknown repository", repository("Nowhere"), ...UNKNOWN_BADGE("SHARE mean")),
    row("a label is exact", repository("zenodo"), ...UNKNOWN_BADGE("SHARE mean")),
    row("unknown researcher", "/widgets/researchers/nobody/badge.svg", ...UNKNOWN_BADGE("S-Index")),
    row(
      "a label with a space",
      repository("Norvale Data Archive"),
      OK,
      SVG,
      agrees("SHARE mean", "/metrics/live", readMean("Norvale Data Archive")),
    ),
    row("a label with a full stop", repository("ClinicalTrials.gov"), OK, SVG),
    row(
      "a label outside the safe characters, slash and percent sign included",
      repository(ODD_LABEL),
      OK,
      SVG,
      agrees("SHARE mean", "/metrics/live", readMean(ODD_LABEL)),
    ),
    row(
      "an encoded way out of the folder",
      "/widgets/repositories/..%2f..%2frelease.json/badge.svg",
      ...UNKNOWN_BADGE("SHARE mean"),
    ),
  ]),
];
