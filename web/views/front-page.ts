/** The root for people who come with a browser: what this is, and the few addresses to begin with. */

import { API_VERSION, SUMMARY, TITLE } from "../../api-static/openapi/prose.ts";
import { BRAND, page } from "../components/document.ts";
import { html } from "../html.ts";

/** Addresses worth a click, best first. */
const BEGINNINGS = [
  { path: "/docs", name: "Reference", about: "Look up a dataset, embed a badge, get a key, download a release." },
  { path: "/records?sortBy=score&sortOrder=desc", name: "Datasets", about: "The best-shared ones first." },
  { path: "/authors?sortBy=sIndex&sortOrder=desc", name: "Researchers", about: "By their S-Index." },
  { path: "/metrics/live", name: "Metrics", about: "Figures of the whole platform." },
  { path: "/rubrics", name: "Rubrics", about: "The questions that are scored, and the rules they are scored by." },
  { path: "/releases", name: "Releases", about: "Everything, immutable, to download and to verify." },
  { path: "/status", name: "Status", about: "How old and how whole each source is." },
  { path: "/openapi.json", name: "OpenAPI", about: "This API for programs that write programs." },
] as const;

/**
 * `hrefOf`: on a static host, the link to a path without its first slash and its query; null if nothing answers there.
 * Without it, the page links to all addresses of a server.
 */
export function frontPage(shareVersion: string, hrefOf: ((path: string) => string | null) | null = null): string {
  const beginnings = BEGINNINGS.flatMap(({ path, ...rest }) => {
    const href = hrefOf === null ? path : hrefOf(path.slice(1).replace(/\?.*/, ""));
    return href === null ? [] : [{ ...rest, href }];
  });
  return page({
    title: TITLE,
    description: SUMMARY,
    body: html`<main class="plain" id="content" tabindex="-1">
${BRAND}
<h1>${TITLE}</h1>
<p class="lead">${SUMMARY}</p>
<ul class="links">${beginnings.map(
      ({ href, name, about }) => html`<li><a href="${href}">${name}</a> <span>${about}</span></li>\n`,
    )}</ul>
<footer>API ${API_VERSION} · SHARE ${shareVersion}. Programs get JSON here.</footer>
</main>`,
  });
}
