/** Connects the commands with sources: names, hosts, credentials, and records that users submitted. */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import {
  type HarvestSummary,
  type HttpOptions,
  harvestHttp,
  type WantedRecords,
} from "../../pipeline/1-harvest/index.ts";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import type { Source, SourcePart } from "../../pipeline/sources/adapter/source.ts";
import { dataciteByOai } from "../../pipeline/sources/datacite/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { type Effects, getErrorMessage, type LogEvent } from "../../pipeline/stage/effects.ts";
import { accountTarget, hasRecordedAccounts } from "../../pipeline/store/account-target.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { Accounts } from "../../server/accounts/database.ts";
import { hostsIn, readEmail, requireValue, setting } from "./environment.ts";
import { UsageError } from "./exit-codes.ts";
import { hostsVariable } from "./settings.ts";

/** Options that replace the usual service of a source by another one. */
export interface ServiceOptions {
  readonly host?: string;
  readonly oaiUrl?: string;
}

/**
 * Returns the source with the service of the options. Without such options, returns it unchanged.
 *
 * @throws UsageError
 */
export function sourceAtService(source: Source, { host, oaiUrl }: ServiceOptions): Source {
  if (oaiUrl === undefined) {
    if (host !== undefined) requireInstallation(source, host);
    return source;
  }
  if (source.name !== "datacite")
    throw new UsageError(
      "--oai-url is for metadata in DataCite's format: run `share-release harvest datacite --oai-url …`",
    );
  if (host !== undefined) throw new UsageError("--oai-url and --host exclude each other: give one of them");
  if (!URL.canParse(oaiUrl))
    throw new UsageError(`--oai-url ${oaiUrl} is not a URL; write it as https://zenodo.org/oai2d`);
  if (new URL(oaiUrl).searchParams.has("set"))
    throw new UsageError(`--oai-url ${oaiUrl}: leave the set out of the URL, and select it with --only set=…`);
  return dataciteByOai(oaiUrl);
}

/** Sources whose software other organisations also run on their own hosts. */
export const INSTALLABLE = SOURCES.filter(({ installations }) => installations === true).map(({ name }) => name);

function requireInstallation(source: Source, host: string): void {
  if (source.installations !== true) {
    const hosts = source.hosts.join(" and ");
    throw new UsageError(
      `--host is for ${INSTALLABLE.join(", ")} only; ${source.name} is one service, at ${hosts}, so leave out --host`,
    );
  }
  const address = `https://${host}`;
  if (!URL.canParse(address) || new URL(address).host !== host.toLowerCase()) {
    throw new UsageError(`--host ${host} is not a host name; write it as dataverse.example.org`);
  }
}

type Connection = Required<Pick<HttpOptions, "contact" | "secret" | "installations" | "base">>;

/**
 * Returns how to connect to the service of a source: its base URL, our contact, and the secret. Hosts of other
 * installations and secrets only come from the settings.
 *
 * @throws UsageError if the host is neither a usual host of the source nor listed in the settings
 */
export function readConnection(source: Source, { host, oaiUrl }: ServiceOptions): Connection {
  const variable = oaiUrl === undefined ? hostsVariable(source.name) : "SHARE_OAI_HOSTS";
  const installations = hostsIn(variable);
  const base = host === undefined ? source.walk.base : `https://${host}`;
  const { hostname } = new URL(base);
  if (source.installations === true && ![...source.hosts, ...installations].includes(hostname)) {
    throw new UsageError(
      `${hostname} is not an allowed host, and was not contacted. ${source.hosts.join(" and ")} are always allowed. ` +
        `If you trust ${hostname}, allow it with ${variable}=${[...installations, hostname].join(",")}`,
    );
  }
  return {
    contact: readEmail(),
    secret: source.credential === undefined ? null : requireValue(source.credential.variable),
    installations,
    base,
  };
}

export type WalkRequest = ServiceOptions & Pick<HttpOptions, "since" | "limit"> & Required<Pick<HttpOptions, "bounds">>;

/**
 * Returns a function that harvests a part of a source.
 * @throws UsageError for an invalid contact, host or URL
 */
export function makeWalk(
  store: Store,
  { source, only }: SourcePart,
  { since, limit, bounds, ...service }: WalkRequest,
): (effects: Effects) => Promise<HarvestSummary> {
  const served = sourceAtService(source, service);
  const http = { ...readConnection(served, service), bounds, since, limit, only };
  // Submissions name records of the default service.
  if (service.oaiUrl !== undefined || service.host !== undefined)
    return (effects) => harvestHttp(store, served, http, effects);
  return (effects) =>
    withSubmissions(store, source.name, effects, (wanted) => harvestHttp(store, served, { ...http, wanted }, effects));
}

/** Number of harvests that try to fetch a submitted record before it is rejected. */
const MAX_ATTEMPTS = 5;

const NO_SUBMISSIONS: WantedRecords = { records: [], done: async () => {} };

/**
 * Runs a harvest, and lets it first fetch the records that users submitted for this source. If the accounts are missing or
 * cannot be read, these records wait for the next harvest.
 */
export async function withSubmissions<T>(
  store: Store,
  source: string,
  effects: Pick<Effects, "now" | "log">,
  harvest: (wantedRecords: WantedRecords) => Promise<T>,
): Promise<T> {
  const accounts = await openAccountsIfPresent(store, source, effects);
  if (accounts === null) return harvest(NO_SUBMISSIONS);
  try {
    const wantedRecords = await findWantedRecords(store, source, accounts, effects).catch((error: unknown) => {
      effects.log(notRead(source, error));
      return NO_SUBMISSIONS;
    });
    return await harvest(wantedRecords);
  } finally {
    await accounts.close();
  }
}

async function openAccountsIfPresent(
  store: Store,
  source: string,
  { log }: Pick<Effects, "log">,
): Promise<Accounts | null> {
  try {
    const target = accountTarget(setting("DATABASE_URL"), store);
    if ("sqlite" in target && !existsSync(target.sqlite)) return null;
    const { openAccounts } = await import("../../server/accounts/database.ts");
    return await openAccounts(target, { mustExist: hasRecordedAccounts(store, target) });
  } catch (error) {
    log(notRead(source, error));
    return null;
  }
}

async function findWantedRecords(
  store: Store,
  source: string,
  { db }: Accounts,
  { now, log }: Pick<Effects, "now" | "log">,
): Promise<WantedRecords> {
  const { markHarvested, waitingSubmissions } = await import("../../server/accounts/submissions.ts");
  const mark = (outcomes: Parameters<typeof markHarvested>[2]): Promise<void> =>
    markHarvested(db, source, outcomes, now()).catch((error: unknown) => {
      // If the records cannot be marked as fetched, the next harvest fetches them again.
      log({ level: "warn", event: "submissions-not-marked", source, message: getErrorMessage(error) });
    });
  const waiting = await waitingSubmissions(db, source);
  const known = await findKnown(store, source, waiting);
  if (known.size > 0) await mark(new Map([...known].map((sourceId) => [sourceId, "known"])));
  const records = waiting
    .filter(({ sourceId }) => !known.has(sourceId))
    .map(({ sourceId, attempts }) => ({ sourceId, lastTry: attempts + 1 >= MAX_ATTEMPTS }));
  return { records, done: mark };
}

/**
 * Returns the ids of submissions whose record is already in the active release, perhaps as an alias. Records that were
 * harvested later are fetched again, because searching the raw payloads would take longer.
 */
async function findKnown(
  store: Store,
  source: string,
  waiting: readonly { readonly sourceId: string }[],
): Promise<Set<string>> {
  const digest = await currentDigest(store);
  if (digest === null || waiting.length === 0) return new Set();
  const db = await openTables(releaseTablePaths(store.release(digest)), { threads: 1, memory: "256MB", isOlder: true });
  try {
    const ids = new Map(waiting.map(({ sourceId }) => [computeRecordId(source, sourceId), sourceId]));
    const rows = await db.rows(
      `select id from record where id in (select unnest(string_split($ids, ',')))
       union select alias_id from alias where alias_id in (select unnest(string_split($ids, ',')))`,
      { ids: [...ids.keys()].join(",") },
    );
    return new Set(rows.flatMap(({ id }) => ids.get(String(id)) ?? []));
  } finally {
    db.close();
  }
}

/** Computes the id of a record (decisions.md, "Identity of records"). */
function computeRecordId(source: string, sourceId: string): string {
  return `r${hash("sha256", `${source}/${sourceId}`).slice(0, 24)}`;
}

function notRead(source: string, error: unknown): LogEvent {
  return { level: "warn", event: "submissions-not-read", source, message: getErrorMessage(error) };
}
