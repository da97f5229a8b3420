/** The beginning of the reference: what most people come for, each in a few lines. */

import { datasetBadge, repositoryBadge, researcherBadge } from "../../api-static/pages/badge.ts";
import { routeNamed } from "../../api-static/routes/index.ts";
import { Html, html } from "../html.ts";
import { inline } from "./markdown.ts";
import { code, picture } from "./operation.ts";

/** What the S-Index on the badge of the guide rests on. */
const BASIS = { datasets: 12, rubric: "2.0", date: "2026-11-01", median: 2, cap: 80 } as const;

const RECORD = routeNamed("record").key?.example ?? "";
const RELEASE = routeNamed("release").key?.example ?? "";

interface Chapter {
  readonly anchor: string;
  readonly title: string;
  readonly content: readonly Html[];
}

/** A paragraph of Markdown. */
function say(text: string): Html {
  return html`<p>${inline(text)}</p>`;
}

function shell(...lines: readonly string[]): Html {
  return code("Shell", lines.join("\n"));
}

export const GUIDE: readonly Chapter[] = [
  {
    anchor: "look-up",
    title: "Look up a dataset",
    content: [
      say(
        "Commands here take `$SHARE` for the address of the server. Search finds words of titles, and DOIs; `identifier` finds exactly one record. The id of a row is the address of its detail, where each of the 25 signals is explained.",
      ),
      shell(
        "SHARE=https://share.example   # this server, without a slash at the end",
        'curl "$SHARE/records?search=10.5072/complete-modern"',
        'curl "$SHARE/records?identifier=datacite/10.5072/complete-modern"',
        `curl "$SHARE/records/${RECORD}"`,
      ),
    ],
  },
  {
    anchor: "badge",
    title: "Embed a badge",
    content: [
      html`<p>Datasets, repositories and researchers have one each. Caches may keep it for five minutes.</p>`,
      new Html(
        `<div class="badges">${[datasetBadge(72), repositoryBadge({ sum: 489, count: 10 }, { sum: 800, count: 10 }), researcherBadge(8, "early", BASIS)].map((svg, i) => picture(svg, `guide-${i}`).text).join("")}</div>`,
      ),
      code(
        "Markdown",
        `[![SHARE score](https://share.example/widgets/datasets/${RECORD}/badge.svg)](https://share.example/records/${RECORD})`,
      ),
    ],
  },
  {
    anchor: "key",
    title: "Get a key",
    content: [
      say("Nothing here needs a key; one raises your rate. It is shown once, so keep it. Send it in `X-API-Key`."),
      shell(
        `curl "$SHARE/api-keys/register" -H 'Content-Type: application/json' \\`,
        `  -d '{"name": "Norvale Data Archive", "email": "data@norvale.example"}'`,
        `curl "$SHARE/records" -H "X-API-Key: $KEY"`,
      ),
    ],
  },
  {
    anchor: "rates",
    title: "Stay within the rates",
    content: [
      html`<ul>
<li>Without a key: 100 requests a minute for each IP address (IPv6: each /64).</li>
<li>With a key: 1,000 requests a minute for each key.</li>
<li>Registrations: 3 an hour for each IP address.</li>
</ul>`,
      say(
        "Answers of the service say what is left in `RateLimit` and `X-RateLimit-Remaining`; those of a cache in front of it cost nothing. Beyond the rate it is 429, and `Retry-After` says how many seconds to wait. For more than a few thousand records, download a release instead.",
      ),
    ],
  },
  {
    anchor: "download",
    title: "Download and verify a release",
    content: [
      say(
        "A release is an immutable folder. Its receipt says what went in and what came out; its manifest names every file with its size and SHA-256; tables lie in `data/` as Parquet, and some can be asked for as CSV. The digest of the manifest stands in the receipt as `manifestDigest`.",
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
      say(
        "Name the version of the release, its digest and the SHARE version: whoever has the digest can get the very same scores again. `_meta.scoreRelease` and the header `SHARE-Release` have them.",
      ),
      code(
        "Citation",
        `SHARE scores, release 2026.11.01, SHARE 2.0.\n${RELEASE.replace("-", ":")}\nhttps://share.example/releases/${RELEASE}`,
      ),
    ],
  },
];
