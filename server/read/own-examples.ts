/** Fills the requests of the API reference with ids of the current release, so that a copied request works. */

import { digestKey, recordKey, slugKey } from "../../api-static/routes/route.ts";
import { authorListQuery, recordListQuery } from "../../schemas/public/api/queries.ts";
import type { RecordRow } from "../../schemas/public/api/record.ts";
import { EXAMPLE_DOI, EXAMPLE_RELEASE, EXAMPLE_RESPONSE, lookUpResponse } from "../../web/reference/guide.ts";
import { AccountsUnavailable } from "../accounts/database.ts";
import type { Standings } from "../accounts/standings.ts";
import { ProblemError } from "../http/response.ts";
import type { ActiveRelease } from "./active-release.ts";
import { readList } from "./list-response.ts";
import type { OpenRelease } from "./open-release.ts";

/**
 * Matches the captions of code that readers copy, and of the response to the first request. Other examples of responses
 * have other captions and stay as they are in the documentation.
 */
const COPIED = /^<figcaption>(?:Request|Response|Shell|Markdown|Citation)</;

/** Returns the page with ids of the current release in its requests. `own` has the new id for each example id. */
export function fillRequests(page: string, own: ReadonlyMap<string, string>): string {
  const fill = (text: string) => [...own].reduce((filled, [example, id]) => filled.replaceAll(example, () => id), text);
  return page
    .split("<figure>")
    .map((part) => (COPIED.test(part) ? fill(part) : part))
    .join("<figure>");
}

function isPlain(doi: string | null): doi is string {
  return doi !== null && PLAIN_DOI.test(doi);
}

/** Number of datasets, those with the highest scores, among which the first with a plain DOI is chosen. */
const DATASETS = "20";

/**
 * Matches a DOI that can be written unchanged in a URL and in a shell. Other DOIs are not used, because a shell could
 * run parts of them as commands.
 */
const PLAIN_DOI = /^10\.\d[\d.]*\/[\w./-]+$/;

/**
 * Returns ids of a dataset with a high score, of the researcher with the most datasets and of the release, each by the
 * example id that it replaces. Returns an empty map if there is no release, if it is not known who is hidden, or if the
 * server is overloaded, because the reference can be read without these ids.
 */
export async function readOwnIds(active: ActiveRelease, standings: Standings): Promise<ReadonlyMap<string, string>> {
  return active
    .use((open) => readIds(open, standings))
    .catch((error: unknown) => {
      if (error instanceof ProblemError || error instanceof AccountsUnavailable) return new Map();
      throw error;
    });
}

async function readIds(open: OpenRelease, standings: Standings): Promise<ReadonlyMap<string, string>> {
  const rubric = open.receipt.rubrics[0]?.version;
  const best = recordListQuery.parse({ rubric, sortBy: "score", sortOrder: "desc", limit: DATASETS });
  const most = authorListQuery.parse({ rubric, sortBy: "datasetCount", sortOrder: "desc", limit: "1" });
  const [datasets, people] = await Promise.all([
    readList("records", best, open, standings.current),
    readList("authors", most, open, standings.current),
  ]);
  const dataset = datasets.data.find(({ doi }) => isPlain(doi)) ?? datasets.data[0];
  const [person] = people.data;
  const doi = dataset?.doi ?? null;
  const own = new Map([
    // The whole response contains examples, so it is replaced first.
    [EXAMPLE_RESPONSE, dataset === undefined ? EXAMPLE_RESPONSE : lookUpOwn(dataset, open)],
    [digestKey.example, open.digest.replace(":", "-")],
    [digestKey.example.replace("-", ":"), open.digest],
    [EXAMPLE_RELEASE, open.receipt.scoreReleaseVersion],
  ]);
  if (dataset !== undefined) own.set(recordKey.example, dataset.id);
  // The filter `identifier` also takes a DOI. Its example contains that of a DOI, so it is replaced first.
  if (isPlain(doi)) own.set(`datacite/${EXAMPLE_DOI}`, doi).set(EXAMPLE_DOI, doi);
  if (person !== undefined) own.set(slugKey.example, person.slug);
  return own;
}

/** Returns the response to a request for a dataset of the release. */
function lookUpOwn({ doi, title, score, cap }: RecordRow, { receipt, digest }: OpenRelease): string {
  if (!isPlain(doi)) return EXAMPLE_RESPONSE;
  return lookUpResponse({ doi, title, total: score?.total ?? null, cap, release: receipt.scoreReleaseVersion, digest });
}
