/** A signal of a record as a release of the store has it: what a moderator holds a dispute against. */

import { z } from "zod";
import { routeNamed } from "../../api-static/routes/index.ts";
import { pageOf } from "../../api-static/routes/route.ts";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { pageAddress } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { releaseTablePaths } from "../../pipeline/pages/tables.ts";
import { receiptText } from "../../pipeline/store/receipt-text.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { signalResult } from "../../schemas/public/api/record.ts";
import type { Receipt, ScoreRelease } from "../../schemas/public/release.ts";
import { type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";
import { RECORD_TABLES } from "../../schemas/public/tables.ts";

/** A release may be of another program: what cannot be read is not said. */
const page = z.object({
  title: z.string().nullable(),
  repository: z.string().nullable(),
  url: z.string().nullable(),
  signals: z.array(signalResult.pick({ id: true, name: true, state: true, field: true, evidence: true })),
});
type Page = z.infer<typeof page>;

/** The part of a receipt that says which contract stood for which version; that of a pruned release may be of any program. */
const scoredUnder = z.object({ rubrics: z.array(z.object({ version: publicVersion, contract: z.string() })) });

export interface PublishedSignal {
  readonly release: ScoreRelease;
  /** The record that the release lists: another one, where the disputed one gave way to it. */
  readonly recordId: string;
  /** The contract that answered: another one, where a later one stands for the same version. */
  readonly contract: string;
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
  /** The release that was disputed: it says for which version the contract stood. */
  readonly release: Pick<ScoreRelease, "releaseDigest">;
}

/** Null where the release has neither the record nor one that it gave way to, or nothing under the version. */
export async function publishedSignal(
  wanted: WantedSignal,
  digest: string,
  store: Store,
): Promise<PublishedSignal | null> {
  const folder = store.release(digest);
  const receipt = await readReceipt(folder);
  if (receipt === null) return null;
  const scored = await scoredFor(wanted, receipt, store);
  if (scored === undefined) return null;
  const found = await listed(wanted.recordId, scored.version, folder);
  const judged = found?.page.signals.find(({ id }) => id === wanted.signal);
  if (found === null || judged === undefined) return null;
  const { title, repository, url } = found.page;
  const { scoreReleaseVersion, releaseDigest } = receipt;
  const { id: _id, ...said } = judged;
  const where = { recordId: found.recordId, contract: scored.contract, title, repository, url };
  return { release: { scoreReleaseVersion, releaseDigest }, ...where, ...said };
}

/** By the same contract; else by the one that now stands for the version: a rule is mended by a new contract. */
async function scoredFor({ contract, release }: WantedSignal, { rubrics }: Receipt, store: Store) {
  const same = rubrics.find((rubric) => rubric.contract === contract);
  if (same !== undefined) return same;
  const version = (await disputedUnder(release.releaseDigest, store)).find(
    (each) => each.contract === contract,
  )?.version;
  return rubrics.find((rubric) => rubric.version === version);
}

/** The contracts of the release that was disputed, which may have been pruned since; none where nothing is left of it. */
async function disputedUnder(digest: string, store: Store): Promise<z.infer<typeof scoredUnder>["rubrics"]> {
  const text = await receiptText(store, digest);
  return text === null ? [] : (scoredUnder.safeParse(JSON.parse(text)).data?.rubrics ?? []);
}

/** The page of the record; of the one that it gave way to, where the release lists that. */
async function listed(
  recordId: string,
  version: PublicVersion,
  folder: string,
): Promise<{ readonly recordId: string; readonly page: Page } | null> {
  const pages = await PageStore.open(folder);
  const route = routeNamed("record");
  const read = (id: string) => {
    const found = pages.get(pageAddress(route, pageOf(route, version), id));
    return found === null ? null : (page.safeParse(JSON.parse(found.bytes.toString("utf8"))).data ?? null);
  };
  try {
    const own = read(recordId);
    if (own !== null) return { recordId, page: own };
    const winner = await winnerOf(recordId, folder);
    const kept = winner === null ? null : read(winner);
    return winner === null || kept === null ? null : { recordId: winner, page: kept };
  } finally {
    pages.close();
  }
}

/** The record that an id gave way to; null where it is no alias. */
async function winnerOf(recordId: string, folder: string): Promise<string | null> {
  const db = await openDuckDB({ threads: 1 });
  try {
    await db.input(RECORD_TABLES.alias, releaseTablePaths(folder).alias ?? "");
    const [row] = await db.rows("select id from alias where alias_id = $recordId", { recordId });
    return row === undefined ? null : String(row.id);
  } finally {
    db.close();
  }
}
