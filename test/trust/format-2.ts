/**
 * Makes a store as the program at commit 2fc5392a left it, with a release of format 2. The release has fewer tables and
 * columns, no word lists, and other pledges and readers, but states the same version of the program.
 */

import { hash } from "node:crypto";
import { appendFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { digestText } from "../../pipeline/6-release/digest.ts";
import { RULE_FILES } from "../../pipeline/diff/rules.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { appendEvent } from "../../pipeline/store/journal.ts";
import { moveLink } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { ReleaseKey } from "../../schemas/public/key-set.ts";
import { JOIN_TABLES, publishedName } from "../../schemas/public/tables.ts";
import { restoreAccounts } from "../accounts/older-store.ts";
import { editReceipt, readPath, resealAs, rewriteManifest, sealFile } from "../support/forgery.ts";
import { hideFile, rewriteTable, tellAgain } from "./forge.ts";

const EARLIER = digestText("an earlier version");

/** Converts a release of a store to format 2 and activates it. Returns its digest. */
export async function asFormat2(store: Store, digest: string): Promise<string> {
  const folder = store.release(digest);
  const names = JOIN_TABLES.map(publishedName);
  for (const name of names) await rm(join(folder, "data", name), { recursive: true });
  await rewriteManifest(folder, (lines) =>
    lines.filter((line) => !names.some((name) => readPath(line).startsWith(`data/${name}/`))),
  );
  await hideFile(folder, RULE_FILES.vocabularies);
  const edi = await changePledge(folder, "edi");
  await rewriteTable(folder, "records", "select * exclude (publication_year) from genuine order by id");
  await rewriteTable(folder, "institutions", "select * exclude (reported_json) from genuine order by rubric, id");
  const tiers = "select *, 'early' as tier, null::varchar as quadrant from genuine order by rubric, id";
  await rewriteTable(folder, "researchers", tiers);
  await editReceipt(folder, ({ content, ...receipt }) => ({
    ...receipt,
    sources: receipt.sources.map((source) => ({ ...source, reader: { version: 1, digest: EARLIER } })),
    signature: null,
    content: {
      ...content,
      inputs: { ...content.inputs, vocabularies: EARLIER, "pledge edi": edi },
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

/** Changes the pledge of a source in a release. Returns the new digest of the pledge. */
async function changePledge(folder: string, source: string): Promise<string> {
  const path = join(folder, RULE_FILES.pledges);
  const pledges = z.record(z.string(), z.looseObject({})).parse(JSON.parse(await readFile(path, "utf8")));
  const changed = { ...pledges[source], attestation: "As an earlier version had it." };
  await writeFile(path, `${JSON.stringify({ ...pledges, [source]: changed }, null, 1)}\n`);
  await sealFile(folder, RULE_FILES.pledges);
  return digestText(canonicalJson(changed));
}

const AT = "2026-11-02T02:00:00.000Z";

/**
 * Adds the files that the program at commit 2fc5392a wrote beside releases: revocations of keys, an unfinished run, and
 * accounts.
 */
export async function addFilesOf2fc5392a(store: Store, { kid, ...key }: ReleaseKey): Promise<void> {
  const since = "2026-11-20T00:00:00.000Z";
  const common = { kid, at: AT, before: null, signature: "e30..e30" };
  const statements = [{ statement: "revoked", reason: "Lost.", since, ...common }];
  await mkdir(dirname(store.publicKeys));
  await writeFile(store.publicKeys, `${JSON.stringify({ keys: [{ kid, ...key }], statements }, null, 2)}\n`);
  const journal = await readFile(store.journal, "utf8");
  const before = `sha256:${hash("sha256", journal.trimEnd().split("\n").at(-1) ?? "")}`;
  const line = { event: "key-revoked", kid, statement: EARLIER, at: AT, before };
  await appendFile(store.journal, `${JSON.stringify(line)}\n`);
  await mkdir(store.run, { recursive: true });
  const underWay = { version: 1, started: AT, asOf: "2026-11-02", sources: ["zenodo"], since: null };
  const nothing = { harvesting: null, parts: { zenodo: 1 }, release: null };
  await writeFile(join(store.run, "under-way.json"), `${JSON.stringify({ ...underWay, ...nothing })}\n`);
  for (const name of ["accounts.json", "accounts.sqlite"]) await rm(join(store.root, name), { force: true });
  await restoreAccounts({ sqlite: join(store.root, "accounts.sqlite") }, "2fc5392a");
}

/** Returns the names of the tables that the receipt of a release lists in its digested content. */
export async function tablesStated(folder: string): Promise<string[]> {
  return Object.keys(JSON.parse(await readFile(join(folder, "release.json"), "utf8")).content.tables);
}
