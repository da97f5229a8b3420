/** Builds the releases of two corpora in one store. Between the corpora there is one planted change of each kind. */

import { rm } from "node:fs/promises";
import type { Receipt } from "../../schemas/public/release.ts";
import { dataciteRecord, zenodoRecord } from "../release/prolific.ts";
import { makeRecordId } from "../server/test-store.ts";
import { buildRelease } from "../support/build-release.ts";
import { harvestRecords, type TemporaryStore, temporaryStore } from "../support/temporary-store.ts";

/** Numbers of Zenodo records by the name of the change that is planted in them. */
const NUMBER = {
  same: 99_500_001,
  metadata: 99_500_002,
  noStatistics: 99_500_003,
  embargo: 99_500_004,
  embargoAndKeywords: 99_500_005,
  tombstone: 99_500_006,
  lost: 99_500_007,
  added: 99_500_008,
  unreadable: 99_500_009,
  silent: 99_500_010,
  broken: 99_500_011,
  viewed: 99_500_012,
} as const;

/** The as-of date of the first release, the day on which the embargoes end, and the as-of date of the second release. */
export const DAYS = { before: "2026-11-01", ended: "2026-11-15", after: "2026-12-01" } as const;

/**
 * Record ids by the name of their planted change. `speaker` is DataCite's record of the dataset `silent`, which Zenodo lists
 * only in the first release.
 */
export const IDS = {
  same: zenodoId("same"),
  metadata: zenodoId("metadata"),
  noStatistics: zenodoId("noStatistics"),
  embargo: zenodoId("embargo"),
  embargoAndKeywords: zenodoId("embargoAndKeywords"),
  tombstone: zenodoId("tombstone"),
  lost: zenodoId("lost"),
  added: zenodoId("added"),
  unreadable: zenodoId("unreadable"),
  silent: zenodoId("silent"),
  broken: zenodoId("broken"),
  viewed: zenodoId("viewed"),
  cited: makeRecordId("datacite/10.5072/cited"),
  speaker: makeRecordId("datacite/10.5072/zenodo.99500010"),
  trial: makeRecordId("clinicaltrials/NCT99500001"),
};

function zenodoId(name: keyof typeof NUMBER): string {
  return makeRecordId(`zenodo/${NUMBER[name]}`);
}

type Shape = Readonly<Record<string, unknown>>;

function deposit(name: keyof typeof NUMBER, metadata: Shape = {}, more: Shape = {}): object {
  const record = zenodoRecord({ id: NUMBER[name], keywords: 1, sentences: 1 });
  return { ...record, stats: { views: 9, downloads: 3 }, ...more, metadata: { ...record.metadata, ...metadata } };
}

const EMBARGO = { access_right: "embargoed", embargo_date: DAYS.ended };
const FOUR = { keywords: ["one", "two", "three", "four"] };

const BEFORE = [
  deposit("same"),
  deposit("metadata"),
  deposit("noStatistics"),
  deposit("embargo", EMBARGO),
  deposit("embargoAndKeywords", EMBARGO),
  deposit("tombstone"),
  deposit("lost"),
  deposit("unreadable"),
  deposit("silent"),
  deposit("broken"),
  deposit("viewed", {}, { stats: { views: 0, downloads: 3 } }),
];

const AFTER = [
  deposit("same"),
  deposit("metadata", FOUR),
  deposit("noStatistics", {}, { stats: undefined }),
  deposit("embargo", EMBARGO),
  deposit("embargoAndKeywords", { ...EMBARGO, ...FOUR }),
  deposit("added", FOUR),
  deposit("unreadable", { keywords: { a: 1 } }),
  deposit("tombstone", {}, { state: "deleted", status: "deleted" }),
  deposit("broken", { creators: "nobody", title: 5 }),
  deposit("viewed", {}, { stats: { views: 2, downloads: 3 } }),
];

/** Attributes that are present but empty. They suffice for a total, because many signals can be judged as absent. */
const NONE = {
  subjects: [],
  contributors: [],
  dates: [],
  relatedIdentifiers: [],
  rightsList: [],
  descriptions: [],
  geoLocations: [],
  fundingReferences: [],
};

const TRIAL = {
  protocolSection: {
    identificationModule: { nctId: "NCT99500001", briefTitle: "Walking" },
    statusModule: { overallStatus: "UNKNOWN" },
  },
};

export interface GoldenPair extends TemporaryStore {
  readonly before: Receipt;
  readonly after: Receipt;
}

/** Builds both releases. The second becomes active even if a gate would stop it. */
export async function goldenPair(): Promise<GoldenPair> {
  const bench = await temporaryStore();
  const registry = [dataciteRecord("zenodo.99500010", "Zenodo"), dataciteRecord("other", "Elsewhere")];
  const cited = (citationCount: number) => {
    const record = dataciteRecord("cited", "Elsewhere");
    return { ...record, attributes: { ...record.attributes, ...NONE, viewCount: 0, citationCount } };
  };
  const harvest = (source: string, records: readonly object[]) =>
    harvestRecords(bench.store, bench.folder, source, records);
  await harvest("zenodo", BEFORE);
  await harvest("datacite", [...registry, cited(0)]);
  await harvest("clinicaltrials", [TRIAL]);
  const first = await buildRelease(bench.store, { asOf: DAYS.before });
  // Removes the first harvest, so that records that the sources no longer list are missing.
  await rm(bench.store.raw(""), { recursive: true });
  await harvest("zenodo", AFTER);
  await harvest("datacite", [...registry, cited(1)]);
  const second = await buildRelease(
    bench.store,
    { asOf: DAYS.after, force: "each change is planted" },
    "2026-12-02T09:30:00.000Z",
  );
  return { ...bench, before: first.receipt, after: second.receipt };
}
