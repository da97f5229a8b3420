/** Statements about the live metrics, their history, and the rubrics. */

import { every, expectSome, field, json, members, OK, rejected, sameAs, unlike } from "./expectations.ts";
import { clause, type Expectation, lacking, row, type Statement } from "./statement.ts";
import {
  ARRAY,
  at,
  BOOLEAN,
  DIGEST,
  exactly,
  INSTANT,
  INTEGER,
  type Kind,
  kind,
  like,
  listAt,
  NULL,
  NUMBER,
  numberAt,
  orNull,
  PERCENT,
  parseJson,
  shown,
  TEXT,
} from "./values.ts";

const RANGES = ["0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80-89", "90-99", "100"];
const MEAN = kind("a number from 0 to 20", (value) => typeof value === "number" && value >= 0 && value <= 20);

const FIGURES: readonly (readonly [string, Kind])[] = [
  ["totalRecords", INTEGER],
  ["totalAuthors", INTEGER],
  ["repositoryCount", INTEGER],
  ["meanShareScore", PERCENT],
  ["meanStewardship", MEAN],
  ["meanHarmonization", MEAN],
  ["meanAccess", MEAN],
  ["meanEngagement", MEAN],
  ["meanReuse", MEAN],
  ["meanSIndex", NUMBER],
  ["maxSIndex", NUMBER],
  ...RANGES.map((label): [string, Kind] => [`scoreDistribution.${label}`, INTEGER]),
];

const LIVE: readonly (readonly [string, Kind])[] = [
  ...FIGURES,
  ["pctAbove70", PERCENT],
  ["medianShareScore", PERCENT],
  ["repositoryBreakdown", ARRAY],
  ["repositoryBreakdown.0.repository", TEXT],
  ["repositoryBreakdown.0.count", INTEGER],
  ["repositoryBreakdown.0.meanScore", NUMBER],
  ["unscoredRepositories", ARRAY],
  ["meanCap", PERCENT],
  ["passedOfEvaluable", PERCENT],
  ["authorsByBasis.name", INTEGER],
  ["totalDistribution.4", INTEGER],
  ["repositoryBreakdown.0.meanCap", orNull(PERCENT)],
  ["repositoryBreakdown.0.bySource.0.source", TEXT],
  ["repositoryBreakdown.0.bySource.0.totalDistribution.4", INTEGER],
  ["withoutRepository.count", INTEGER],
  // Recorded files do not state the total of a source.
  ["sampling.method", exactly("as_harvested")],
  ["sampling.frame", NULL],
  ["sampling.fraction", NULL],
  ["sampling.bySource.0.complete", NULL],
  ["release.coverage.insufficient", INTEGER],
  ["release.rubric", kind("an object", (value) => typeof value === "object")],
  ["release.releaseDigest", DIGEST],
  ["release.scoreReleaseVersion", exactly("2026.11.01")],
  ["release.publishedAt", INSTANT],
  ["release.coverage.harvested", INTEGER],
  ["release.coverage.scored", INTEGER],
  ["_meta.scoreRelease.scoreReleaseVersion", exactly("2026.11.01")],
  ["_meta.scoreRelease.releaseDigest", DIGEST],
];

const LABELS = json("exactly the eleven labels", (body) => {
  const labels = Object.keys(Object(at(body, "scoreDistribution")));
  return labels.toSorted().join() === RANGES.toSorted().join() ? null : shown(labels);
});

const CENSUS = json("the ranges sum up to the scored records, coverage reconciles", (body) => {
  const sum = RANGES.reduce((all, label) => all + numberAt(body, `scoreDistribution.${label}`), 0);
  const counts = ["superseded", "duplicates", "tombstones", "notDataset", "failed", "insufficient", "scored"].map(
    (name) => numberAt(body, `release.coverage.${name}`),
  );
  const whole = counts.reduce((all, count) => all + count, 0) === numberAt(body, "release.coverage.harvested");
  return whole && sum === numberAt(body, "release.coverage.scored") ? null : shown([sum, at(body, "release.coverage")]);
});

/** Expects a figure of the metrics to equal the total of the list at a path. */
function counted(name: string, path: string): Expectation {
  return {
    text: `${name} is the total of ${path}`,
    async fault({ text }, ask) {
      const [figure, total] = [
        numberAt(parseJson(text), name),
        numberAt(parseJson((await ask(path)).text), "pagination.total"),
      ];
      return figure === total ? null : `${figure}, the list has ${total}`;
    },
  };
}

const SHARED_OUT = json("the breakdown's counts, and records without a label, are all records", (body) => {
  const repositories = [...listAt(body, "repositoryBreakdown"), ...listAt(body, "unscoredRepositories")];
  const sum = repositories.reduce<number>((all, entry) => all + numberAt(entry, "count"), 0);
  return sum + numberAt(body, "withoutRepository.count") === numberAt(body, "totalRecords") ? null : String(sum);
});

const live = ["2.0", "1.0"].flatMap((rubric) => {
  const path = `/metrics/live?rubric=${rubric}`;
  return clause(`interface.md, Live metrics object under ${rubric}`, [
    ...LIVE.map(([name, wanted]) => row(name, path, OK, field(name, wanted))),
    row("eleven ranges", path, OK, LABELS),
    row("a census", path, OK, CENSUS),
    row("the receipt is of the selected rubric", path, OK, field("release.rubric.version", exactly(rubric))),
    row("totalRecords", path, OK, counted("totalRecords", `/records?rubric=${rubric}`)),
    row("totalAuthors", path, OK, counted("totalAuthors", `/authors?rubric=${rubric}`)),
    row("pctAbove70 is of scored records with a total of at least 70", path, OK, {
      text: "pctAbove70 is by the totals of the lists",
      async fault({ text }, ask) {
        const of = async (least: number) =>
          numberAt(parseJson((await ask(`/records?rubric=${rubric}&minScore=${least}`)).text), "pagination.total");
        const wanted = Math.round((10_000 * (await of(70))) / (await of(0))) / 100;
        return numberAt(parseJson(text), "pctAbove70") === wanted
          ? null
          : `${numberAt(parseJson(text), "pctAbove70")}, not ${wanted}`;
      },
    }),
    row("repositoryBreakdown shares the records out", path, OK, SHARED_OUT),
    row(
      "every repositoryBreakdown[].meanScore is a number",
      path,
      OK,
      every("repositoryBreakdown", "meanScore", PERCENT),
    ),
    row("meanReusability is of 2.0 only", path, OK, field("meanReusability", rubric === "2.0" ? MEAN : NULL)),
  ]);
});

const SNAPSHOT = ["scoreReleaseVersion", "releaseDigest", "publishedAt", "rubric"];
const history = ["2.0", "1.0"].flatMap((rubric) => {
  const path = `/metrics/history?rubric=${rubric}`;
  return clause(`interface.md, GET /metrics/history under ${rubric}`, [
    row(
      "an array of all snapshots",
      path,
      OK,
      field("", ARRAY),
      json("two", (body) => (listAt(body, "").length === 2 ? null : `${listAt(body, "").length}`)),
    ),
    row(
      "oldest first, the current release included",
      path,
      OK,
      field("0.scoreReleaseVersion", exactly("2026.10.31")),
      field("1.scoreReleaseVersion", exactly("2026.11.01")),
    ),
    row("publishedAt", path, OK, every("", "publishedAt", INSTANT)),
    row("releaseDigest", path, OK, every("", "releaseDigest", DIGEST)),
    row("rubric", path, OK, every("", "rubric", exactly(rubric))),
    ...FIGURES.map(([name, wanted]) => row(name, path, OK, every("", name, wanted))),
    row(
      "its members",
      path,
      OK,
      members("", [
        ...SNAPSHOT,
        "totalRecords",
        "totalAuthors",
        "repositoryCount",
        "meanShareScore",
        "meanStewardship",
        "meanHarmonization",
        "meanAccess",
        "meanEngagement",
        "meanReuse",
        "meanReusability",
        "meanSIndex",
        "maxSIndex",
        "scoreDistribution",
        "totalDistribution",
        "authorsByBasis",
        "meanCap",
        "passedOfEvaluable",
      ]),
    ),
  ]);
});

const ABSENT_2 = json("2.0 is available, 1.0 is not", (body) => {
  const available = listAt(body, "").map((entry) => `${at(entry, "version")}:${at(entry, "available")}`);
  return available.toSorted().join() === "1.0:false,2.0:true" ? null : shown(available);
});

const CONTRACTS = {
  "2.0": "2.0.0-beta.2",
  "1.0": "1.0.0",
  "1.0.0": "1.0.0",
  "2.0.0-beta.1": "2.0.0-beta.1",
  "2.0.0-beta.2": "2.0.0-beta.2",
} as const;

export const FIGURES_AND_RUBRICS: readonly Statement[] = [
  ...live,
  ...clause("interface.md, GET /metrics/live", [
    row("no rubric means 2.0", "/metrics/live", OK, sameAs("/metrics/live?rubric=2.0")),
    row("1.0 is another answer", "/metrics/live?rubric=1.0", OK, unlike("/metrics/live")),
    row("means are of scored records: fewer than all", "/records?minScore=0", OK, expectSome("/records")),
  ]),
  ...history,
  ...clause("interface.md, GET /rubrics", [
    row(
      "the two public versions",
      "/rubrics",
      OK,
      every("", "version", like(/^[12]\.0$/)),
      json("two", (body) => (listAt(body, "").length === 2 ? null : shown(body))),
    ),
    row("members of an entry", "/rubrics", OK, members("", "version contract digest status available scoredRecords")),
    row("contract", "/rubrics", OK, every("", "contract", like(/^(1\.0\.0|2\.0\.0-beta\.2)$/))),
    row("digest", "/rubrics", OK, every("", "digest", DIGEST)),
    row("available", "/rubrics", OK, every("", "available", BOOLEAN), every("", "available", exactly(true))),
    row("scoredRecords", "/rubrics", OK, every("", "scoredRecords", INTEGER)),
    lacking("2.0 only", "current score-data availability", "/rubrics", OK, ABSENT_2),
    row("takes no parameters", "/rubrics?rubric=9&page=0", rejected(400, "invalid-parameter", "rubric", "page")),
  ]),
  ...clause("interface.md, GET /rubrics/{version}", [
    row("2.0 can be compared", "/rubrics/2.0", OK, field("comparability", exactly(null))),
    row("1.0 says why it cannot be compared", "/rubrics/1.0", OK, field("comparability", TEXT)),
    ...Object.entries(CONTRACTS).flatMap(([version, contract]) => [
      row(
        `${version} is accepted`,
        `/rubrics/${version}`,
        OK,
        field("version", like(/^[12]\.0/)),
        field("contract", exactly(contract)),
      ),
      row(
        `${version} has 25 signals`,
        `/rubrics/${version}`,
        OK,
        json("25", (body) => (listAt(body, "signals").length === 25 ? null : "not 25")),
      ),
      row(
        `${version} describes masks, buckets and states`,
        `/rubrics/${version}`,
        OK,
        field(
          "masks",
          kind("an object", (value) => typeof value === "object" && value !== null),
        ),
        json("5 buckets, 6 states", (body) =>
          listAt(body, "buckets").length === 5 && listAt(body, "states").length === 6 ? null : shown(body),
        ),
      ),
      row(
        `${version} has a digest and a status`,
        `/rubrics/${version}`,
        OK,
        field("digest", DIGEST),
        field("status", TEXT),
      ),
      lacking("2.0 only", `${version} is described whatever is published`, `/rubrics/${version}`, OK),
    ]),
  ]),
];
