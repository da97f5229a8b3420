/**
 * URLs of datasets stay valid: a dataset with a new id redirects, and one that left the release keeps a page and badge with its
 * last score.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { generatePayloads } from "../../fixtures/generate/index.ts";
import { ask } from "../server/ask.ts";
import {
  type Listening,
  makeRecordId,
  type ReleasedStore,
  releasedStore,
  SPECIAL,
  serve,
} from "../server/test-store.ts";

const HTML = { accept: "text/html" };

let store: ReleasedStore;
let server: Listening;
/**
 * A dataset that only the first release has. `score` is its score there, as on its badge: `28 of 84`, or `28` if 100 points are
 * possible.
 */
let left: { readonly id: string; readonly score: string };
let version: string;

beforeAll(async () => {
  // The second release lacks Zenodo, so the datasets of Zenodo left, except those that DataCite describes too.
  store = await releasedStore({}, { sources: ["clinicaltrials", "datacite"], force: "a test of former records" });
  const [first] = store.receipts;
  version = first?.scoreReleaseVersion ?? "";
  server = await serve(store.store);
  for (const { sourceId } of generatePayloads({ source: "zenodo", records: 20, seed: 7 })) {
    const id = makeRecordId(`zenodo/${sourceId}`);
    if ((await ask(server.port, `/records/${id}`)).status !== 404) continue;
    const badge = await ask(
      server.port,
      `/widgets/datasets/${id}/badge.svg?release=${first?.releaseDigest.replace(":", "-")}`,
    );
    const [, score] = /SHARE: (\d+(?: of \d+)?)/.exec(badge.text) ?? [];
    if (score === undefined) continue;
    left = { id, score };
    break;
  }
});

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
});

test("the former id of a dataset that now comes from another source redirects to the new id, also for its badge", async () => {
  const [former, now] = [makeRecordId(SPECIAL.winner), makeRecordId(SPECIAL.loser)];
  const paths = [`/records/${former}`, `/datasets/${former}`, `/widgets/datasets/${former}/badge.svg`];
  for (const path of paths) {
    const { status, headers } = await ask(server.port, path);
    expect([path, status, headers.location]).toEqual([path, 308, path.replace(former, now)]);
  }
});

test("GET /records/{id} of a dataset that left the release returns 404, with the last release that had it and the score there", async () => {
  const { status, text } = await ask(server.port, `/records/${left.id}`);
  expect([status, JSON.parse(text)]).toEqual([
    404,
    expect.objectContaining({
      type: "/problems/dataset-not-found",
      detail: `The current release does not have this dataset: the last harvest of its source did not find it. Release ${version} had it last, with ${left.score} points.`,
    }),
  ]);
});

test("the page of a dataset that left the release shows its last score and offers a check", async () => {
  const { status, text } = await ask(server.port, `/datasets/${left.id}`, { headers: HTML });
  expect(status).toBe(200);
  expect(text).toContain("This dataset is no longer in the current release.");
  expect(text).toContain(`Release ${version} had it last, with ${left.score} points.`);
  expect(text).toContain('<meta name="robots" content="noindex">');
  expect(text).toContain("Check it now");
});

test("the badge of a dataset that left the release shows its last score with the year", async () => {
  const { status, text } = await ask(server.port, `/widgets/datasets/${left.id}/badge.svg`);
  expect(status).toBe(200);
  expect(text).toContain(`${left.score} (2026)`);
  const json = await ask(server.port, `/widgets/datasets/${left.id}/badge.json`);
  expect(JSON.parse(json.text)).toMatchObject({ message: `${left.score} (2026)` });
});

test("the id of a dataset that no release ever had returns 404", async () => {
  const unknown = `r${"0".repeat(24)}`;
  const { status, text } = await ask(server.port, `/records/${unknown}`);
  expect([status, JSON.parse(text).detail]).toEqual([
    404,
    "No dataset with this ID has been harvested. GET /records lists all datasets.",
  ]);
  expect((await ask(server.port, `/widgets/datasets/${unknown}/badge.svg`)).status).toBe(404);
});
