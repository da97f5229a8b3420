/**
 * A store with real releases for the tests of the server. Its records are generated, and some special records lead to errors or
 * redirects.
 */

import { hash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type GeneratedPayload, generatePayloads } from "../../fixtures/generate/index.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { BuildReleaseOptions } from "../../releases/activate.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { createServer, type ServerOptions, type ShareServer } from "../../server/index.ts";
import { type Capture, type SharedStore, sharedStore } from "../support/temporary-store.ts";

const FIXTURES = new URL("../../fixtures/payloads/", import.meta.url);

/** The time at which test releases are built, and to which the clocks of test servers are set. */
export const NOW = new Date("2026-11-02T12:00:00.000Z");
const RETRIEVED = "2026-11-01T12:00:00.000Z";

export const EFFECTS = {
  now: () => NOW,
  sleep: async (milliseconds: number, signal?: AbortSignal) => {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
  },
};

/** The name of a repository with characters that a file name cannot have, such as `/`. */
export const ODD_LABEL = "Dépôt R&D/100% “data” ..";

/** Returns the id of a record by its identifier, as decisions.md defines it. */
export function makeRecordId(identifier: string): string {
  return `r${hash("sha256", identifier).slice(0, 24)}`;
}

const zenodo = [...generatePayloads({ source: "zenodo", records: 20, seed: 7 })];
const datacite = [...generatePayloads({ source: "datacite", records: 60, seed: 7 })];
const trials = [...generatePayloads({ source: "clinicaltrials", records: 10, seed: 7 })];
const ZENODO_DOI = z.object({ doi: z.string() }).parse(JSON.parse(zenodo[0]?.payload ?? "")).doi;

/** Identifiers of records that tests need for a certain purpose, such as a withdrawn one. */
export const SPECIAL = {
  /** A Zenodo record that DataCite also has under the same DOI, so that the release keeps only this one. */
  winner: `zenodo/${zenodo[0]?.sourceId}`,
  loser: `datacite/${ZENODO_DOI}`,
  tombstone: "zenodo/99000099",
  gone: "datacite/10.5072/gone",
  withheld: "clinicaltrials/NCT99000011",
  software: "zenodo/99000097",
  failed: "zenodo/99000200",
  oddRepository: "datacite/10.5072/odd-label",
} as const;

/** Returns a DataCite payload that is a copy of `like` with another DOI and these attributes. */
function registryRecord(like: GeneratedPayload | undefined, doi: string, attributes: object): string {
  const shape = z.looseObject({ attributes: z.looseObject({}) });
  const record = shape.parse(JSON.parse(like?.payload ?? ""));
  return JSON.stringify({ ...record, id: doi, attributes: { ...record.attributes, doi, ...attributes } });
}

function fixture(path: string): string {
  return readFileSync(new URL(path, FIXTURES), "utf8");
}

/** Returns payloads of a source as captures (harvested payloads), all retrieved at the same time. */
const harvested = (
  source: string,
  some: readonly (Pick<GeneratedPayload, "sourceId" | "payload"> & { status?: number })[],
) => some.map(({ sourceId, payload, status = 200 }) => ({ source, sourceId, payload, status, retrievedAt: RETRIEVED }));

const CORPUS: readonly Capture[] = [
  ...harvested("datacite", [
    ...datacite,
    { sourceId: ZENODO_DOI, payload: registryRecord(datacite[1], ZENODO_DOI, {}) },
    {
      sourceId: "10.5072/odd-label",
      payload: registryRecord(datacite[2], "10.5072/odd-label", { publisher: ODD_LABEL }),
    },
    { sourceId: "10.5072/gone", payload: "", status: 404 },
  ]),
  ...harvested("zenodo", [
    ...zenodo,
    { sourceId: "99000099", payload: fixture("zenodo/deleted.json") },
    { sourceId: "99000097", payload: fixture("zenodo/software.json") },
    { sourceId: "99000200", payload: "{" },
  ]),
  ...harvested("clinicaltrials", [
    ...trials,
    { sourceId: "NCT99000011", payload: fixture("clinicaltrials/withheld.json") },
  ]),
];

/** Options with which every release of the test store is built, unless a test changes them. */
export const BUILD = {
  sources: ["clinicaltrials", "datacite", "zenodo"],
  memory: "256MB",
  now: NOW.toISOString(),
} as const;

export interface ReleasedStore extends SharedStore {
  /** The receipt (release.json) of the release that was built first. */
  readonly receipt: Receipt;
}

/**
 * Returns a store with one release for each of `builds`. It is built once in a test run, and each suite gets a copy with hard
 * links.
 */
export async function releasedStore(...builds: readonly Partial<BuildReleaseOptions>[]): Promise<ReleasedStore> {
  const wanted = builds.length === 0 ? [{}] : builds;
  // Releases are published a second apart, because lists of releases are ordered by this time.
  const now = (i: number) => new Date(NOW.getTime() - 1000 * (wanted.length - 1 - i)).toISOString();
  const shared = await sharedStore({
    captures: CORPUS,
    builds: wanted.map((options, i) => ({ ...BUILD, ...options, now: now(i) })),
  });
  return { ...shared, receipt: shared.receipts[0] };
}

export interface Listening extends ShareServer {
  readonly port: number;
  /** URL of the server: `http://127.0.0.1:<port>`. */
  readonly url: string;
}

/** Quotas that tests do not reach. Rate limits have suites of their own. */
export const UNLIMITED = {
  anonymous: { requests: 1_000_000_000, seconds: 60 },
  badge: { requests: 1_000_000_000, seconds: 60 },
};

/**
 * Removes the file in which a store notes that its accounts are in PostgreSQL, because suites share a store but not the
 * accounts.
 */
export function forgetAccounts(store: Store): void {
  rmSync(join(store.root, "accounts.json"), { force: true });
}

/** Starts a server of the store on a free port. Its accounts are in SQLite, unless `options.accounts` names a PostgreSQL. */
export async function serve(store: Store, options: Partial<ServerOptions> = {}): Promise<Listening> {
  if (options.accounts === undefined) forgetAccounts(store);
  const settings = { logger: false, pollMilliseconds: 10, quotas: UNLIMITED, ...options } as const;
  const server = await createServer(store, settings, EFFECTS);
  const url = await server.app.listen({ port: 0, host: "127.0.0.1" });
  return { ...server, url, port: Number(new URL(url).port) };
}
