/** robots.txt and the site map, in which search engines find every dataset, repository and signal. */

import { listRepositories } from "../../api-static/pages/metrics.ts";
import { CACHE } from "../../api-static/routes/route.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { GUIDES } from "../../schemas/public/site/guides.ts";
import { contentResponse, type HttpResponse, ProblemError } from "../http/response.ts";
import type { ApiClient } from "./page-handler.ts";

const XML_TYPE = "application/xml; charset=utf-8";

/** Numbers of rows in a page of the API, and of pages of the API in one part of the site map. */
const ROWS = 100;
const PAGES_OF_A_PART = 10;
const PART = ROWS * PAGES_OF_A_PART;

/** Largest number of parts, because the API has no further pages. */
const MAX_PARTS = 999;

const PLACES = [
  "/",
  "/datasets",
  "/researchers",
  "/repositories",
  "/affiliations",
  "/countries",
  "/funders",
  "/signals",
  "/check",
  "/history",
  "/about",
  "/help",
  ...Object.keys(GUIDES).map((name) => `/guides/${name}`),
  "/terms",
  "/changelog",
  "/privacy",
];

/**
 * Returns robots.txt, which excludes personal views and the unlimited number of searches. The site map does not list
 * researchers, so that they can decide for themselves whether they want to be found.
 */
export function robots(origin: string): HttpResponse {
  const lines = [
    "User-agent: *",
    "Disallow: /me",
    "Disallow: /sign-in",
    "Disallow: /find",
    "Disallow: /account",
    "Disallow: /auth",
    "",
    `Sitemap: ${origin}/sitemap.xml`,
    "",
  ];
  return contentResponse(Buffer.from(lines.join("\n")), "text/plain; charset=utf-8", CACHE.page);
}

/** Makes the index of the site map. The first part has the fixed paths. */
export async function siteMap(api: ApiClient, origin: string): Promise<HttpResponse> {
  const { totalRecords } = await api.metrics();
  const parts = Math.min(MAX_PARTS, 1 + Math.ceil(totalRecords / PART));
  const entries = Array.from({ length: parts }, (_, i) => `<sitemap><loc>${origin}/sitemaps/${i + 1}</loc></sitemap>`);
  return xmlResponse(
    `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</sitemapindex>`,
  );
}

export async function siteMapPart(number: number, api: ApiClient, origin: string): Promise<HttpResponse> {
  const paths = number === 1 ? await places(api) : await datasets(number - 2, api);
  if (paths.length === 0)
    throw new ProblemError("not-found", "The sitemap does not have this part. /sitemap.xml lists all parts.");
  const entries = paths.map((path) => `<url><loc>${origin}${path}</loc></url>`);
  return xmlResponse(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</urlset>`);
}

async function places(api: ApiClient): Promise<string[]> {
  const repositories = listRepositories(await api.metrics());
  return [
    ...PLACES,
    ...SIGNAL_IDS.map((id) => `/signals/${id}`),
    ...repositories.map(({ repository }) => `/repositories/${encodeURIComponent(repository).replaceAll("'", "%27")}`),
  ];
}

async function datasets(part: number, api: ApiClient): Promise<string[]> {
  const paths: string[] = [];
  for (let i = 1; i <= PAGES_OF_A_PART; i += 1) {
    const page = String(part * PAGES_OF_A_PART + i);
    const { data, pagination } = await api.list("records", { page, limit: String(ROWS) });
    paths.push(...data.map(({ id }) => `/datasets/${id}`));
    if (!pagination.hasNext) break;
  }
  return paths;
}

function xmlResponse(text: string): HttpResponse {
  return contentResponse(Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`), XML_TYPE, CACHE.page);
}
