/**
 * Data for the tests of web servers in front of the program (nginx, Caddy, CloudFront): the pages that they serve from files,
 * and the requests that they must pass to the program's server.
 */

import type { Route } from "../../api-static/routes/route.ts";
import { listPageAddresses } from "../release/page-address.ts";
import type { Question } from "../server/ask.ts";
import { makeRecordId, ODD_LABEL, SPECIAL } from "../server/test-store.ts";
import { pagesIn } from "../support/release-pages.ts";

export interface Canonical {
  /** Path of the page in the API, without a query. */
  readonly target: string;
  /** The folder of the page in a published tree: empty for the default version, otherwise the version and a slash. */
  readonly folder: string;
  readonly route: Route;
  readonly bytes: Buffer;
}

/** Returns the pages of a release that are published as files, with their URLs. */
export async function canonicalAddresses(folder: string): Promise<Canonical[]> {
  return [...(await pagesIn(folder))].flatMap(([path, bytes]) =>
    listPageAddresses(path).flatMap(({ route, file, key }) => {
      const queries = route.pages.filter((page) => page.path === file.path).map(({ query }) => query);
      const target = route.path.replace(/\{\w+\}/, () => encodeURIComponent(key));
      if (queries.includes("")) return [{ target, folder: "", route, bytes }];
      return queries.includes("rubric=1.0") ? [{ target, folder: "1.0/", route, bytes }] : [];
    }),
  );
}

export const ID = makeRecordId(SPECIAL.winner);

/** True if web servers with the samples serve the page from its file. Datasets may name researchers who are hidden by now. */
export function isServedFromFile({ route, folder }: Canonical): boolean {
  return folder === "" && !route.showsResearchers && route.name !== "record";
}

/** Requests for which there is no file, or one that names people, so that a front server must pass them to the program's server. */
export const FOR_THE_SERVER: readonly { name: string; target: string; status: number; question?: Question }[] = [
  { name: "a URL with a query", target: "/metrics/live?rubric=2.0", status: 200 },
  { name: "a URL with an unknown parameter", target: `/records/${ID}?x=1`, status: 400 },
  { name: "a dataset, whose researchers may be hidden by now", target: `/records/${ID}`, status: 200 },
  { name: "the path of the file of a dataset", target: `/records/${ID}.json`, status: 404 },
  { name: "the path of that file under SHARE 1.0", target: `/1.0/records/${ID}.json`, status: 404 },
  { name: "a path in upper case", target: "/Rubrics", status: 404 },
  { name: "an id in upper case", target: `/records/${ID.toUpperCase()}`, status: 404 },
  { name: "an encoded line end after an id", target: `/records/${ID}%0A`, status: 404 },
  {
    name: "a repository name with .. segments",
    target: "/widgets/repositories/..%2F..%2Frelease.json/badge.svg",
    status: 404,
  },
  {
    name: "a repository name that cannot be a file name",
    target: `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge.svg`,
    status: 200,
  },
  {
    name: "a repository name that is too long for a file",
    target: `/widgets/repositories/${"Z".repeat(300)}/badge.svg`,
    status: 404,
  },
  { name: "the path of the receipt in the store", target: "/release.json", status: 404 },
  { name: "the path of a folder", target: "/widgets/datasets", status: 404 },
  { name: "the path of a folder with a slash", target: "/widgets/datasets/", status: 404 },
  { name: "the path /.server, which the sample configuration uses internally", target: "/.server", status: 404 },
  { name: "an unknown id", target: "/records/r000000000000000000000000", status: 404 },
  { name: "a withdrawn dataset", target: `/records/${makeRecordId(SPECIAL.tombstone)}`, status: 404 },
  { name: "a superseded record", target: `/records/${makeRecordId(SPECIAL.loser)}`, status: 308 },
  {
    name: "the badge of a superseded record",
    target: `/widgets/datasets/${makeRecordId(SPECIAL.loser)}/badge.svg`,
    status: 308,
  },
  { name: "an unknown rubric", target: "/rubrics/9.9", status: 400 },
  { name: "the list of researchers", target: "/authors", status: 200 },
  { name: "the badge for shields.io", target: `/widgets/datasets/${ID}/badge.json`, status: 200 },
  {
    name: "a request with an unknown API key",
    target: "/rubrics",
    status: 401,
    question: { headers: { "x-api-key": "x" } },
  },
  {
    name: "a request for CSV",
    target: "/records",
    status: 200,
    question: { headers: { accept: "TEXT/CSV;q=0.9, */*;q=0.1" } },
  },
  { name: "a request for plain text", target: "/records", status: 200, question: { headers: { accept: "text/*" } } },
  {
    name: "a request for linked data",
    target: `/records/${ID}`,
    status: 200,
    question: { headers: { accept: "application/ld+json" } },
  },
  {
    name: "a request for Arrow",
    target: "/records",
    status: 200,
    question: { headers: { accept: "application/vnd.apache.arrow.stream" } },
  },
  {
    name: "a request for JSON Lines",
    target: "/records",
    status: 200,
    question: { headers: { accept: "application/x-ndjson" } },
  },
  {
    name: "a request of a browser",
    target: "/",
    status: 200,
    question: { headers: { accept: "text/html,*/*;q=0.8" } },
  },
  { name: "OPTIONS", target: "/rubrics", status: 204, question: { method: "OPTIONS" } },
  { name: "POST to a page", target: "/rubrics", status: 405, question: { method: "POST" } },
  { name: "DELETE of a page", target: `/records/${ID}`, status: 405, question: { method: "DELETE" } },
];
