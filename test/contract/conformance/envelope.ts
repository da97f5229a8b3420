/** Statements about the pagination envelope, which is the same in all four lists. */

import { every, field, json, NOTHING, OK, rejected, sameAs } from "./expectations.ts";
import { clause, type Expectation, type Row, row, type Statement } from "./statement.ts";
import { ARRAY, at, BOOLEAN, DIGEST, exactly, INTEGER, type Kind, like, listAt, numberAt, textAt } from "./values.ts";

export const LISTS = [
  { path: "/records", limit: 10, most: 100 },
  { path: "/authors", limit: 10, most: 100 },
  { path: "/institutions", limit: 20, most: 100 },
  { path: "/geography", limit: 250, most: 250 },
] as const;

const FIELDS: readonly (readonly [string, Kind])[] = [
  ["data", ARRAY],
  ["pagination.total", INTEGER],
  ["pagination.page", INTEGER],
  ["pagination.limit", INTEGER],
  ["pagination.totalPages", INTEGER],
  ["pagination.hasNext", BOOLEAN],
  ["pagination.hasPrev", BOOLEAN],
  ["_meta.scoreRelease.scoreReleaseVersion", like(/^2026\.11\.01$/)],
  ["_meta.scoreRelease.releaseDigest", DIGEST],
];

const TOTALS = json("totalPages is total divided by limit, rounded up", (body) => {
  const [total, limit] = [numberAt(body, "pagination.total"), numberAt(body, "pagination.limit")];
  const pages = numberAt(body, "pagination.totalPages");
  return pages === Math.ceil(total / limit) ? null : `${pages} pages of ${limit} for ${total}`;
});

const FILLED = json("as many rows as limit", (body) => {
  const [rows, limit] = [listAt(body, "data").length, numberAt(body, "pagination.limit")];
  return rows === limit ? null : `${rows} rows at limit ${limit}`;
});

/** Expects that the pages of a list together have every row once, in the order of the whole list. */
const WALK = {
  text: "its pages together are the list: each row once, in the same order",
  async fault({ text }: { readonly text: string }, ask: (path: string) => Promise<{ readonly text: string }>) {
    const first: unknown = JSON.parse(text);
    const size = numberAt(first, "pagination.limit");
    const seen: string[] = [];
    for (let page = 1; page <= numberAt(first, "pagination.totalPages"); page += 1) {
      const body: unknown = JSON.parse((await ask(`/records?limit=${size}&page=${page}`)).text);
      seen.push(...listAt(body, "data").map((entry) => textAt(entry, "id")));
      if (at(body, "pagination.hasPrev") !== page > 1) return `hasPrev of page ${page}`;
    }
    const total = numberAt(first, "pagination.total");
    if (new Set(seen).size !== total || seen.length !== total)
      return `${seen.length} rows, ${new Set(seen).size} ids of ${total}`;
    return seen.join() === seen.toSorted().join() ? null : "not in the order of ids";
  },
};

/** Expects the pages that follow from one cursor to the next to be the whole list together. */
const GONE_ON: Expectation = {
  text: "its cursors lead through the list: each row once, in the same order as its pages",
  async fault({ text }, ask) {
    const whole = listAt(JSON.parse((await ask("/records?limit=100&fields=id")).text), "data");
    const more = listAt(JSON.parse((await ask("/records?limit=100&fields=id&page=2")).text), "data");
    const seen: unknown[] = [];
    for (let body: unknown = JSON.parse(text); ; ) {
      seen.push(...listAt(body, "data"));
      const next = at(body, "pagination.nextCursor");
      if (next === null) break;
      body = JSON.parse((await ask(`/records?limit=37&fields=id&cursor=${next}`)).text);
    }
    return JSON.stringify(seen.slice(0, 200)) === JSON.stringify([...whole, ...more])
      ? null
      : `${seen.length} rows, others than those of the pages`;
  },
};

function listCursorRows({ path }: (typeof LISTS)[number]): Row[] {
  return [
    row("a page has no next cursor", `${path}?limit=1`, OK, json("no member nextCursor", withoutCursor)),
    row(
      "cursor=* begins with the first row",
      `${path}?limit=1&cursor=*`,
      OK,
      field("pagination.hasPrev", exactly(false)),
    ),
    row(
      "the answer to a cursor names the next",
      `${path}?limit=1&cursor=*`,
      OK,
      field("pagination.nextCursor", like(/^[A-Za-z0-9_-]{20,}$/)),
      field("pagination.hasNext", exactly(true)),
    ),
    row("a cursor that is none is 400", `${path}?cursor=AAAA`, rejected(400, "invalid-parameter", "cursor")),
    row(
      "a later page and a cursor are 400 together",
      `${path}?cursor=*&page=2`,
      rejected(400, "invalid-parameter", "page"),
    ),
    row("the default page and a cursor are 200 together", `${path}?cursor=*&page=1`, OK),
    row("an unknown field is 400", `${path}?fields=nothing`, rejected(400, "invalid-parameter", "fields")),
    row("an invalid id is 400", `${path}?ids=no%20id`, rejected(400, "invalid-parameter", "ids")),
  ];
}

const withoutCursor = (body: unknown) =>
  at(body, "pagination.nextCursor") === undefined ? null : "there is a nextCursor";

function listRows({ path, limit, most }: (typeof LISTS)[number]): Row[] {
  return [
    ...FIELDS.map(([name, kind]) => row(`${name} of a list`, path, OK, field(name, kind))),
    row("limit when none is given", path, OK, field("pagination.limit", exactly(limit))),
    row(
      "page when none is given",
      path,
      OK,
      field("pagination.page", exactly(1)),
      field("pagination.hasPrev", exactly(false)),
    ),
    row("totalPages", `${path}?limit=7`, OK, TOTALS),
    row(
      "page and limit are those asked for",
      `${path}?limit=2&page=2`,
      OK,
      FILLED,
      field("pagination.page", exactly(2)),
    ),
    row("a first page has a next one", `${path}?limit=1`, OK, FILLED, field("pagination.hasNext", exactly(true))),
    row("a second page has one before it", `${path}?limit=1&page=2`, OK, field("pagination.hasPrev", exactly(true))),
    row(
      "a page past the end is 200 with empty data",
      `${path}?page=10000`,
      OK,
      field("data", exactly([])),
      TOTALS,
      field("pagination.hasNext", exactly(false)),
      field("pagination.page", exactly(10_000)),
    ),
    row("explicit defaults", `${path}?page=1&limit=${limit}&rubric=2.0&sortOrder=asc`, OK, sameAs(path)),
    row("the greatest limit", `${path}?limit=${most}`, OK, field("pagination.limit", exactly(most))),
  ];
}

export const ENVELOPE: readonly Statement[] = [
  ...LISTS.flatMap((list) => clause(`conventions, Cursors, fields and ids: ${list.path}`, listCursorRows(list))),
  ...clause("conventions, Cursors, fields and ids", [
    row("cursors follow each other without gap or repetition", "/records?limit=37&fields=id&cursor=*", OK, GONE_ON),
  ]),
  ...LISTS.flatMap((list) => clause(`interface.md, Pagination envelope: ${list.path}`, listRows(list))),
  ...clause("interface.md, Pagination envelope", [
    row("pages follow each other without gap or repetition", "/records?limit=37", OK, WALK),
    row(
      "an empty list is a list",
      "/records?search=nosuchwordanywhere",
      OK,
      NOTHING,
      field("pagination.totalPages", exactly(0)),
      field("pagination.hasNext", exactly(false)),
    ),
    row(
      "lists hold records only: scored, with too little evidence, failed (decisions.md, The release and Rows)",
      "/records?limit=100",
      OK,
      every("data", "scoreStatus", like(/^(scored|insufficient_evidence|failed)$/)),
    ),
  ]),
];
