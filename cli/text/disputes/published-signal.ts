/** A signal of a record as a release of the store has it: what a moderator holds a dispute against. */

import { z } from "zod";
import { routeNamed } from "../../../api-static/routes/index.ts";
import { pageOf } from "../../../api-static/routes/route.ts";
import { pageAddress } from "../../../pipeline/packs/pack-names.ts";
import { PageStore } from "../../../pipeline/packs/page-store.ts";
import { readReceipt } from "../../../pipeline/store/releases.ts";
import type { Store } from "../../../pipeline/store/store.ts";
import { signalResult } from "../../../schemas/public/api/record.ts";
import type { ScoreRelease } from "../../../schemas/public/release.ts";

/** A release may be of another program: what cannot be read is not said. */
const page = z.object({
  title: z.string().nullable(),
  repository: z.string().nullable(),
  url: z.string().nullable(),
  signals: z.array(signalResult.pick({ id: true, name: true, state: true, field: true, evidence: true })),
});

export interface PublishedSignal {
  readonly release: ScoreRelease;
  readonly title: string | null;
  readonly repository: string | null;
  readonly url: string | null;
  readonly name: string;
  readonly state: string;
  readonly field: string | null;
  readonly evidence: Readonly<Record<string, number | boolean | string | null>>;
}

export interface WantedSignal {
  readonly recordId: string;
  readonly contract: string;
  readonly signal: string;
}

/** Null where the release has no such record, or nothing under the contract. */
export async function publishedSignal(
  { recordId, contract, signal }: WantedSignal,
  digest: string,
  store: Store,
): Promise<PublishedSignal | null> {
  const receipt = await readReceipt(store.release(digest));
  const version = receipt?.rubrics.find((rubric) => rubric.contract === contract)?.version;
  if (receipt === null || version === undefined) return null;
  const route = routeNamed("record");
  const pages = await PageStore.open(store.release(digest));
  try {
    const found = pages.get(pageAddress(route, pageOf(route, version), recordId));
    const record = found === null ? null : (page.safeParse(JSON.parse(found.bytes.toString("utf8"))).data ?? null);
    const judged = record?.signals.find(({ id }) => id === signal);
    if (record === null || judged === undefined) return null;
    const { title, repository, url } = record;
    const { scoreReleaseVersion, releaseDigest } = receipt;
    const { id: _id, ...said } = judged;
    return { release: { scoreReleaseVersion, releaseDigest }, title, repository, url, ...said };
  } finally {
    pages.close();
  }
}
