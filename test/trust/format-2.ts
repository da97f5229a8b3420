/** A release in format 2: without affiliations, funding and the year of a record, and with tiers and quadrants. */

import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { appendEvent } from "../../pipeline/store/journal.ts";
import { moveLink } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { JOIN_TABLES, publishedName } from "../../schemas/public/tables.ts";
import { editReceipt, pathOf, resealAs, rewriteManifest } from "../support/forgery.ts";
import { rewriteTable, tellAgain } from "./forge.ts";

/** Version of the program that wrote it. */
const VERSION = "0.0.9";

/** Converts a release of a store to format 2 and activates it. Returns its digest. */
export async function asFormat2(store: Store, digest: string): Promise<string> {
  const folder = store.release(digest);
  const names = JOIN_TABLES.map(publishedName);
  for (const name of names) await rm(join(folder, "data", name), { recursive: true });
  await rewriteManifest(folder, (lines) =>
    lines.filter((line) => !names.some((name) => pathOf(line).startsWith(`data/${name}/`))),
  );
  await rewriteTable(folder, "records", "select * exclude (publication_year) from genuine order by id");
  const tiers = "select *, 'early' as tier, null::varchar as quadrant from genuine order by rubric, id";
  await rewriteTable(folder, "researchers", tiers);
  await editReceipt(folder, ({ content, ...receipt }) => ({
    ...receipt,
    tool: { ...receipt.tool, version: VERSION },
    signature: null,
    content: {
      ...content,
      tables: Object.fromEntries(Object.entries(content.tables).filter(([name]) => !names.includes(name))),
    },
  }));
  const then = await resealAs(folder);
  await tellAgain(folder);
  await rename(folder, store.release(then));
  await moveLink(store.current, store.release(then));
  for (const path of [store.journal, store.work("")]) await rm(path, { recursive: true, force: true });
  await appendEvent(store, { event: "built", releaseDigest: then, at: null });
  return then;
}

/** The format in the digested content of a release, as its receipt shows it. */
export async function tablesStated(folder: string): Promise<string[]> {
  return Object.keys(JSON.parse(await readFile(join(folder, "release.json"), "utf8")).content.tables);
}
