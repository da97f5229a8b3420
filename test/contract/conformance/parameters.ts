/** Statements about the parameters of all lists: accepted values, both sides of each bound, and rejected values. */

import { LISTS } from "./envelope.ts";
import { field, OK, rejected, sameAs, unlike } from "./expectations.ts";
import { clause, type Row, row, type Statement } from "./statement.ts";
import { exactly, like } from "./values.ts";

const ODD_NUMBERS = [
  "0",
  "-1",
  "1.5",
  "abc",
  "",
  "1e-1",
  "e1",
  "0x1",
  "%201",
  "%2B1",
  "1,0",
  "Infinity",
  "NaN",
  "%EF%BC%91",
  "99999999999999999999",
];
const ODD_VERSIONS = ["3.0", "2", "2.00", "", "latest", "2.0.0-beta.2", "1.0.0", "%202.0", "2.0%00", "null"];

function rejections(name: string, values: readonly string[], path: string): Row[] {
  const type = name === "rubric" ? "unsupported-rubric" : "invalid-parameter";
  return values.map((value) =>
    row(`${name} is not ${value === "" ? "empty" : value}`, `${path}?${name}=${value}`, rejected(400, type, name)),
  );
}

function listRows({ path, limit, most }: (typeof LISTS)[number]): Row[] {
  return [
    row("page from 1", `${path}?page=1`, OK, sameAs(path)),
    row("page to 10000", `${path}?page=10000`, OK, field("pagination.page", exactly(10_000))),
    row("not beyond 10000", `${path}?page=10001`, rejected(400, "invalid-parameter", "page")),
    row("limit from 1", `${path}?limit=1`, OK, field("pagination.limit", exactly(1))),
    row(`limit to ${most}`, `${path}?limit=${most}`, OK, field("pagination.limit", exactly(most))),
    row(`not beyond ${most}`, `${path}?limit=${most + 1}`, rejected(400, "invalid-parameter", "limit")),
    ...rejections("page", ODD_NUMBERS, path),
    ...rejections("limit", ODD_NUMBERS, path),
    row("rubric=2.0", `${path}?rubric=2.0`, OK, sameAs(path)),
    row("rubric=1.0", `${path}?rubric=1.0`, OK, unlike(path)),
    ...rejections("rubric", ODD_VERSIONS, path),
    row("sortOrder=asc is the default", `${path}?sortOrder=asc`, OK, sameAs(path)),
    row("sortOrder=desc alone applies to the default order", `${path}?sortOrder=desc`, OK, unlike(path)),
    ...rejections("sortOrder", ["up", "ASC", "Desc", "", "1"], path),
    ...rejections("sortBy", ["", "nothing", "ID", "%00", "__proto__", "id;drop", "constructor"], path),
    row("a number with an exponent is one", `${path}?page=1e0&limit=${limit / 10}e1`, OK, sameAs(path)),
    ...["page=1", `limit=${limit}`, "rubric=2.0", "sortOrder=asc"].map((pair) =>
      row(
        "a repeated parameter is 400, with the same value too",
        `${path}?${pair}&${pair}`,
        rejected(400, "invalid-parameter", pair.split("=")[0] ?? ""),
      ),
    ),
    row(
      "every offending parameter is named",
      `${path}?page=0&limit=x&sortBy=zzz&sortOrder=up`,
      rejected(400, "invalid-parameter", "page", "limit", "sortBy", "sortOrder"),
    ),
    row(
      "an unsupported version is named beside the others",
      `${path}?rubric=9&page=0`,
      rejected(400, "unsupported-rubric", "rubric", "page"),
    ),
  ];
}

/** Makes the statements about parameters that an endpoint does not know. interface.md leaves open how they are treated. */
function listUnknownRows({ path }: (typeof LISTS)[number]): Row[] {
  const invalid = (...names: readonly string[]) => rejected(400, "invalid-parameter", ...names);
  return [
    row("a parameter that the address does not know is 400", `${path}?nothing=1`, invalid("nothing")),
    row("the nearest known one is named", `${path}?pgae=1`, invalid("pgae"), field("errors.0.message", like(/ page$/))),
    row("every one of them is named", `${path}?x=1&x=2&page=0&y`, invalid("page", "x", "y")),
    row("names are case-sensitive", `${path}?Page=1&LIMIT=1`, invalid("Page", "LIMIT")),
    row("utm_*, _ and cb are ignored", `${path}?utm_source=x&utm_=&_=1&_=2&cb=3`, OK, sameAs(path)),
    row("nothing else like them is", `${path}?utm=x&__=1&CB=3`, invalid("utm", "__", "CB")),
  ];
}

export const PARAMETERS: readonly Statement[] = [
  ...LISTS.flatMap((list) => [
    ...clause(`interface.md, Shared list query parameters: ${list.path}`, listRows(list)),
    ...clause(`decisions.md, Requests: unknown parameters: ${list.path}`, listUnknownRows(list)),
  ]),
  ...clause(
    "decisions.md, Requests: fields",
    [
      "/records?fields=id,doi,score.total",
      "/records?fields=score.bucketScores.S&sortBy=score",
      "/authors?fields=sIndexBasis.cap,name",
      "/institutions?fields=totalDistribution.4",
      "/geography?fields=countryCode,bucketMeans",
    ].map((path) => row("rows of some fields are as they are described", path, OK)),
  ),
];
