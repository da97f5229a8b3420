/** Statements about reported affiliations and countries. */

import { every, expectSome, field, json, members, NOTHING, OK, rejected, sameAs } from "./expectations.ts";
import { clause, type Expectation, row, type Statement } from "./statement.ts";
import {
  at,
  INTEGER,
  isText,
  type Kind,
  kind,
  like,
  listAt,
  numberAt,
  OBJECT,
  orNull,
  PERCENT,
  parseJson,
  shown,
  TEXT,
  textAt,
} from "./values.ts";

const RANGES = ["0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80-89", "90-99", "100"];
const CODE = like(/^[A-Z]{3}$/);

const AGGREGATE: readonly (readonly [string, Kind])[] = [
  ["recordCount", INTEGER],
  ["scoredCount", INTEGER],
  ["meanScore", orNull(PERCENT)],
  ["bucketMeans", OBJECT],
  ["meanCap", orNull(PERCENT)],
  ["passedOfEvaluable", orNull(PERCENT)],
  ["scoreDistribution", OBJECT],
  ["totalDistribution", OBJECT],
];
const INSTITUTION: readonly (readonly [string, Kind])[] = [
  ["id", like(/^[0-9a-f]{64}$/)],
  ["label", TEXT],
  ["countryCode", orNull(CODE)],
  ["authorCount", INTEGER],
  ...AGGREGATE,
];
const COUNTRY: readonly (readonly [string, Kind])[] = [
  ["countryCode", CODE],
  ["name", TEXT],
  ["institutionCount", INTEGER],
  ...AGGREGATE,
];

const CLEAN = kind(
  "clean, of at most 240 characters",
  (value) =>
    isText(value) &&
    Array.from(value).length <= 240 &&
    !/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200e\u200f]|<[a-z/]|@\w+\.|https?:/iu.test(value) &&
    value.trim() === value,
);

const DISTRIBUTION = json("eleven ranges that sum up to scoredCount, never more than recordCount", (body) => {
  const wrong = listAt(body, "data").find((entry) => {
    const sum = RANGES.reduce((all, label) => all + numberAt(entry, `scoreDistribution.${label}`), 0);
    return sum !== numberAt(entry, "scoredCount") || sum > numberAt(entry, "recordCount");
  });
  return wrong === undefined ? null : shown(wrong);
});

/**
 * Expects that no country has more records than the release. The sum of all countries may be higher, because a record can have
 * several countries.
 */
const NON_EXCLUSIVE: Expectation = {
  text: "no country counts more records than there are; together they may",
  async fault({ text }, ask) {
    const all = numberAt(parseJson((await ask("/records")).text), "pagination.total");
    const wrong = listAt(parseJson(text), "data").find((entry) => numberAt(entry, "recordCount") > all);
    return wrong === undefined ? null : shown(wrong);
  },
};

const UNIQUE = (key: string) =>
  json(`each ${key} once`, (body) => {
    const keys = listAt(body, "data").map((entry) => textAt(entry, key));
    return new Set(keys).size === keys.length ? null : shown(keys);
  });

const NO_INDEX = json("no S-Index of any name", (body) => {
  const wrong = listAt(body, "data").find((entry) => Object.keys(Object(entry)).some((name) => /index/i.test(name)));
  return wrong === undefined ? null : shown(wrong);
});

const under = (rubric: string) => [
  ...clause(`decisions.md, Rows: institution row under ${rubric}`, [
    ...INSTITUTION.map(([name, wanted]) =>
      row(name, `/institutions?limit=100&rubric=${rubric}`, OK, every("data", name, wanted)),
    ),
    row(
      "keys are always present",
      `/institutions?limit=100&rubric=${rubric}`,
      OK,
      members(
        "data",
        INSTITUTION.map(([name]) => name),
      ),
    ),
    row(
      "bucketMeans",
      `/institutions?limit=100&rubric=${rubric}`,
      OK,
      every("data", "bucketMeans.S", orNull(PERCENT)),
      every("data", "bucketMeans.E", orNull(PERCENT)),
    ),
    row("distribution", `/institutions?limit=100&rubric=${rubric}`, OK, DISTRIBUTION),
  ]),
  ...clause(`decisions.md, Rows: country row under ${rubric}`, [
    ...COUNTRY.map(([name, wanted]) => row(name, `/geography?rubric=${rubric}`, OK, every("data", name, wanted))),
    row(
      "keys are always present",
      `/geography?rubric=${rubric}`,
      OK,
      members(
        "data",
        COUNTRY.map(([name]) => name),
      ),
    ),
    row("distribution: failed rows are excluded", `/geography?rubric=${rubric}`, OK, DISTRIBUTION),
  ]),
];

const IN_AUSTRIA = every(
  "data",
  "countryCode",
  kind("AUT", (value) => value === "AUT"),
);

export const PLACES: readonly Statement[] = [
  ...under("2.0"),
  ...under("1.0"),
  ...clause("interface.md, Reported-affiliation aggregate (institutions)", [
    row("labels are sanitised for display", "/institutions?limit=100", OK, every("data", "label", CLEAN)),
    row(
      "labels are sanitised for display: the second page",
      "/institutions?limit=100&page=2",
      OK,
      every("data", "label", CLEAN),
    ),
    row("rows have no institutional S-Index", "/institutions?limit=100", OK, NO_INDEX),
    row("identity is the raw text's digest: each once", "/institutions?limit=100", OK, UNIQUE("id")),
  ]),
  ...clause("interface.md, Country attribution aggregate (geography)", [
    row("ISO 3166-1 alpha-3: each once", "/geography", OK, UNIQUE("countryCode")),
    row("a record counts once in a country", "/geography", OK, NON_EXCLUSIVE),
    row(
      "a country's name",
      "/geography",
      OK,
      json("NOR is Norway", (body) => {
        const norway = listAt(body, "data").find((entry) => at(entry, "countryCode") === "NOR");
        return textAt(norway, "name") === "Norway" ? null : shown(norway);
      }),
    ),
    row(
      "has no filter of its own",
      "/geography?countryCode=XXX&search=a",
      rejected(400, "invalid-parameter", "countryCode", "search"),
    ),
    row(
      "sortBy=recordCount",
      "/geography?sortBy=recordCount&sortOrder=desc&limit=1",
      OK,
      field(
        "pagination.limit",
        kind("1", (value) => value === 1),
      ),
    ),
  ]),
  ...clause("interface.md, GET /institutions filters: countryCode", [
    row("selects", "/institutions?countryCode=AUT&limit=100", OK, expectSome("/institutions"), IN_AUSTRIA),
    row(
      "in lower case",
      "/institutions?countryCode=aut&limit=100",
      OK,
      sameAs("/institutions?countryCode=AUT&limit=100"),
    ),
    row(
      "in mixed case",
      "/institutions?countryCode=aUt&limit=100",
      OK,
      sameAs("/institutions?countryCode=AUT&limit=100"),
    ),
    row("a country nobody here is in", "/institutions?countryCode=TUV", OK, NOTHING),
    row("with a search", "/institutions?countryCode=AUT&search=two", OK, IN_AUSTRIA),
    row("alpha-2 is rejected", "/institutions?countryCode=AT", rejected(400, "invalid-parameter", "countryCode")),
    row(
      "unassigned letters are rejected",
      "/institutions?countryCode=QQQ",
      rejected(400, "invalid-parameter", "countryCode"),
    ),
    row(
      "a former code is rejected",
      "/institutions?countryCode=YUG",
      rejected(400, "invalid-parameter", "countryCode"),
    ),
    row(
      "letters outside ASCII are rejected",
      "/institutions?countryCode=%C4%B0TA",
      rejected(400, "invalid-parameter", "countryCode"),
    ),
    row("once", "/institutions?countryCode=AUT&countryCode=AUT", rejected(400, "invalid-parameter", "countryCode")),
  ]),
];
