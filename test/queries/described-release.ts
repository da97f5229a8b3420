/** Makes DataCite records from the few values that matter to a test, and opens releases for queries. */

import type { Store } from "../../pipeline/store/store.ts";
import { OpenRelease } from "../../server/read/open-release.ts";
import { DEFAULT_QUERY_OPTIONS, type QueryOptions } from "../../server/read/query-engine.ts";
import { RETRIEVED_AT } from "../support/bundled-corpus.ts";
import type { Capture, FilledStore } from "../support/temporary-store.ts";

/**
 * The values of a DataCite record that matter to a test. `attributes` are added to the fixed minimum, or replace its values.
 */
export interface Described {
  readonly doi: string;
  readonly title?: string | null;
  readonly creators?: readonly { readonly name: string; readonly affiliation?: readonly string[] }[];
  readonly attributes?: object;
}

function writePayload({ doi, title = null, creators = [], attributes = {} }: Described): string {
  return JSON.stringify({
    id: doi,
    type: "dois",
    attributes: {
      doi,
      titles: title === null ? [] : [{ title }],
      creators: creators.map((creator) => ({ nameType: "Personal", affiliation: [], ...creator })),
      publisher: "Norvale Data Archive",
      publicationYear: 2024,
      types: { resourceTypeGeneral: "Dataset" },
      state: "findable",
      isActive: true,
      ...attributes,
    },
  });
}

/** Returns the records as captures (harvested payloads) of the source DataCite. */
export function described(records: readonly Described[]): Capture[] {
  return records.map((record) => ({
    source: "datacite",
    sourceId: record.doi,
    payload: writePayload(record),
    retrievedAt: RETRIEVED_AT,
  }));
}

/** Opens the release that was built last in a store. */
export function openLast({ store, digests }: FilledStore): Promise<OpenRelease> {
  return openRelease(store, digests.at(-1) ?? "");
}

export function openRelease(store: Store, digest: string, options: Partial<QueryOptions> = {}): Promise<OpenRelease> {
  const all = { ...DEFAULT_QUERY_OPTIONS, queryMemory: "256MB", queryThreads: 2, ...options };
  return OpenRelease.open(store, digest, all, new AbortController().signal);
}
