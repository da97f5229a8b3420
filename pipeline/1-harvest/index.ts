/** Stage 1, harvest: copies the payloads of a source, byte by byte, into raw/<source>/. */

import { isoDate } from "../../schemas/public/scalars.ts";
import type { Source } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import type { Store } from "../store/store.ts";
import { fetchWanted, RecordFetch, type RecordFetchResult } from "./fetch-record.ts";
import { chooseRate, Identification, userAgent } from "./identification.ts";
import { AllowedHosts, Budget, HTTP_LIMITS, NO_BOUNDS, ServiceCaller } from "./requests.ts";
import type { HarvestSummary, WantedCounts } from "./session.ts";
import { BadHarvestOption, RawSession } from "./session.ts";
import type { HttpOptions } from "./walk.ts";
import { SourceWalk } from "./walk.ts";

export type { RecordFetchResult as Fetched, WantedRecords } from "./fetch-record.ts";
export { type FilesOptions, harvestFiles } from "./harvest-files.ts";
export type { HarvestSummary, WantedOutcome } from "./session.ts";
export type { HttpOptions } from "./walk.ts";

function makeCaller(source: Source, options: HttpOptions & { readonly base: string }, effects: Effects): ServiceCaller {
  const { base, installations = [], allowPrivate = false } = options;
  const hosts = new AllowedHosts(source, { base, installations, allowPrivate });
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const budget = new Budget({ ...NO_BOUNDS, ...options.bounds }, effects);
  const { contact, secret = null } = options;
  const identification = new Identification(source, secret);
  const known = { ...source, rate: chooseRate(source, { secret, contact }) };
  return new ServiceCaller(known, { hosts, agent: userAgent(contact), identification, limits, budget }, effects);
}

export async function harvestHttp(
  store: Store,
  source: Source,
  options: HttpOptions,
  effects: Effects,
): Promise<HarvestSummary> {
  const { since } = options;
  if (since !== null && since !== "last" && !isoDate.safeParse(since).success) {
    throw new BadHarvestOption(`"${since}" is not a day; write it as 2024-05-31, or last`);
  }
  const base = options.base ?? source.walk.base;
  const caller = makeCaller(source, { ...options, base }, effects);
  const session = await RawSession.open(store.raw(source.name));
  try {
    const wantedCounts = await fetchWantedFirst(session, source, caller, { ...options, base }, effects);
    const summary = await new SourceWalk(session, source, caller, { ...options, base }, effects).run();
    return wantedCounts === null ? summary : { ...summary, wanted: wantedCounts };
  } finally {
    // The results of parallel requests are not needed any more.
    caller.stop();
    await session.close();
  }
}

/**
 * Fetches the records that users requested. This happens before the walk, which reads the whole list of the source, so
 * that these records arrive even if the walk fails.
 */
function fetchWantedFirst(
  session: RawSession,
  source: Source,
  caller: ServiceCaller,
  { base, contact, wanted }: HttpOptions & { readonly base: string },
  { now, log }: Effects,
): Promise<WantedCounts> | null {
  if (wanted === undefined || wanted.records.length === 0) return null;
  const fetch = new RecordFetch(source, caller, { base, contact }, now);
  return fetchWanted(wanted, { session, source, fetch, log });
}

/**
 * Fetches one record without storing it. A missing or rejected record is a result; an error is only thrown if the
 * service fails or may not be contacted.
 */
export async function fetchRecord(
  source: Source,
  sourceId: string,
  options: Omit<HttpOptions, "since" | "limit">,
  effects: Effects,
): Promise<RecordFetchResult> {
  const base = options.base ?? source.walk.base;
  const caller = makeCaller(source, { since: null, limit: null, ...options, base }, effects);
  return new RecordFetch(source, caller, { base, contact: options.contact }, effects.now).byId(sourceId);
}
