/** The guide at the top of the API reference, which explains the most common tasks. */

import { readableJson } from "../../api-static/openapi/readable-json.ts";
import { datasetBadge, repositoryBadge, researcherBadge } from "../../api-static/pages/badge.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { type Limit, limitText } from "../components/limits.ts";
import { Html, html } from "../html.ts";
import { highlightedJson, inline } from "./markdown.ts";
import { code, picture } from "./operation.ts";

/** The figures of the badge that the guide shows as an example. */
const BASIS = { datasets: 12, rubric: "2.0", date: "2026-11-01", median: 2, cap: 80 } as const;

/** The DOI in the examples. A server replaces it, and the example ids of the routes, with those of its own release. */
export const EXAMPLE_DOI = "10.5072/complete-modern";

/** The version of the release in the examples. A server replaces it with that of its own release. */
export const EXAMPLE_RELEASE = "2026.11.01";

/** The values in the response that the guide shows. */
export interface LookedUp {
  readonly doi: string;
  readonly title: string | null;
  readonly total: number | null;
  readonly cap: number | null;
  readonly release: string;
  readonly digest: string;
}

/** Returns the response to the first request of the guide, as code. */
export function lookUpResponse({ doi, title, total, cap, release, digest }: LookedUp): string {
  const response = {
    data: [{ doi, title, score: { total }, cap }],
    pagination: { total: 1, page: 1, limit: 10, totalPages: 1, hasNext: false, hasPrev: false },
    _meta: { scoreRelease: { scoreReleaseVersion: release, releaseDigest: digest } },
  };
  return html`${highlightedJson(readableJson(response))}`.text;
}

const RECORD = routeNamed("record").key?.example ?? "";
const RELEASE = routeNamed("release").key?.example ?? "";

/** The response in a published copy. A server replaces it with that of a dataset of its own release. */
export const EXAMPLE_RESPONSE: string = lookUpResponse({
  doi: EXAMPLE_DOI,
  title: "Hourly readings of three river gauges",
  total: 48,
  cap: 60,
  release: EXAMPLE_RELEASE,
  digest: RELEASE.replace("-", ":"),
});

interface Chapter {
  readonly anchor: string;
  readonly title: string;
  readonly content: readonly Html[];
}

/** Returns a paragraph of Markdown. */
function paragraph(text: string): Html {
  return html`<p>${inline(text)}</p>`;
}

function shell(...lines: readonly string[]): Html {
  return code("Shell", lines.join("\n"));
}

export interface GuideLimits {
  readonly anonymous: Limit;
  readonly key: Limit;
  readonly registration: Limit;
}

/** The server of the reference. Its origin is read late, because a server may choose its port only when it starts. */
export interface GuideServer {
  readonly site: { readonly origin: string };
  readonly limits: GuideLimits;
}

/** Returns a sentence on the rate limit with an API key. A published copy does not know the limits. */
function keyEffect(server: GuideServer | null): string {
  if (server === null) return "A key has its own rate limit.";
  const { anonymous, key } = server.limits;
  const isHigher = key.requests / key.seconds > anonymous.requests / anonymous.seconds;
  return isHigher ? "A key raises your rate limit." : "On this server, a key does not raise your rate limit.";
}

/** Returns the chapters of the guide. `server` is null in a published copy, which knows no URL and has no limits. */
export function guide(server: GuideServer | null): readonly Chapter[] {
  const origin = server?.site.origin ?? "https://share.example";
  return [
    {
      anchor: "look-up",
      title: "Look up a dataset",
      content: [
        shell(
          `SHARE=${origin}`,
          `curl "$SHARE/records?identifier=datacite/${EXAMPLE_DOI}&fields=doi,title,score.total,cap"`,
        ),
        code("Response", new Html(EXAMPLE_RESPONSE)),
        paragraph(
          "In these commands, `$SHARE` is the URL of the server, without a trailing slash. `identifier` finds exactly one record. `search` finds words in titles and DOIs. To read the explanation of all 25 signals, request a record by its id.",
        ),
        shell(`curl "$SHARE/records?search=${EXAMPLE_DOI}"`, `curl "$SHARE/records/${RECORD}"`),
      ],
    },
    {
      anchor: "badge",
      title: "Embed a badge",
      content: [
        html`<p>Each dataset, repository and researcher has a badge. Caches may store it for five minutes.</p>`,
        new Html(
          `<div class="badges">${[datasetBadge({ total: 48, cap: 60 }), repositoryBadge({ sum: 489, count: 10 }, { sum: 800, count: 10 }), researcherBadge(8, BASIS)].map((svg, i) => picture(svg, `guide-${i}`).text).join("")}</div>`,
        ),
        code(
          "Markdown",
          `[![SHARE score](${origin}/widgets/datasets/${RECORD}/badge.svg)](${origin}/datasets/${RECORD})`,
        ),
      ],
    },
    {
      anchor: "key",
      title: "Get a key",
      content: [
        paragraph(
          `You do not need a key. ${keyEffect(server)} The response shows the key once, so store it. Send it in the \`X-API-Key\` header.`,
        ),
        shell(
          `curl "$SHARE/api-keys/register" -H 'Content-Type: application/json' \\`,
          `  -d '{"name": "Norvale Data Archive", "email": "data@norvale.example"}'`,
          `curl "$SHARE/records" -H "X-API-Key: $KEY"`,
        ),
      ],
    },
    {
      anchor: "rates",
      title: "Stay within the rate limits",
      content: [
        ...(server === null
          ? []
          : [
              html`<ul>
<li>Without a key: ${limitText(server.limits.anonymous)} for each IP address (IPv6: each /64).</li>
<li>With a key: ${limitText(server.limits.key)} for each key.</li>
<li>Registrations of keys: ${limitText(server.limits.registration)} for each IP address.</li>
</ul>`,
            ]),
        paragraph(
          "`RateLimit` and `X-RateLimit-Remaining` contain your remaining requests. Responses from a cache do not count. Above the limit, the status is 429. Wait for the number of seconds in `Retry-After`. If you need more than a few thousand records, download a release instead.",
        ),
      ],
    },
    {
      anchor: "download",
      title: "Download and verify a release",
      content: [
        paragraph(
          "A release is an immutable folder. Its receipt describes the inputs and the results. Its manifest lists every file with its size and SHA-256 digest. The [tables](/docs/tables) in `data/` are Parquet files, and some are also available as CSV. The receipt has the digest of the manifest as `manifestDigest`.",
        ),
        shell(
          'curl "$SHARE/releases"',
          `curl -O "$SHARE/releases/${RELEASE}/manifest.ndjson"`,
          "sha256sum manifest.ndjson",
          `curl -O "$SHARE/releases/${RELEASE}/data/records/part-0000.parquet"`,
          "sha256sum part-0000.parquet; grep data/records/ manifest.ndjson",
        ),
      ],
    },
    {
      anchor: "cite",
      title: "Cite a release",
      content: [
        paragraph(
          "Cite the version of the release, its digest and the SHARE version. With the digest, others can get the same scores again. Find them in `_meta.scoreRelease` and in the `SHARE-Release` header.",
        ),
        code(
          "Citation",
          `SHARE scores, release ${EXAMPLE_RELEASE}, SHARE 2.0.\n${RELEASE.replace("-", ":")}\n${origin}/releases/${RELEASE}`,
        ),
      ],
    },
  ];
}
