/**
 * What the reader of each source makes of the bundled payloads. One that reads them in another way has to have another
 * version: diff, report and history say by it why a score moved.
 */

import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { digest } from "../../schemas/public/release.ts";
import { PAYLOADS } from "./bundled-corpus.ts";
import { bundledRelease } from "./temporary-store.ts";

/** By name of the source. */
export const goldenReaders = z.record(
  z.string(),
  z.strictObject({
    version: z.int().positive(),
    /** sha256 over its bundled payloads. */
    payloads: digest,
    /** sha256 over the evidence that it read in them. */
    evidence: digest,
  }),
);
export type GoldenReaders = z.infer<typeof goldenReaders>;

/** Builds the release of the bundled corpus once a run of suites, and asks it. */
export async function makeGoldenReaders(): Promise<GoldenReaders> {
  await using bundled = await bundledRelease();
  const evidence = await evidenceOf(bundled.folder);
  const readers = SOURCES.map(async ({ name, reader }) => {
    const payloads = await payloadsDigest(name);
    return [name, { version: reader, payloads, evidence: evidence.get(name) ?? digestOf("") }] as const;
  });
  return Object.fromEntries((await Promise.all(readers)).sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function evidenceOf(release: string): Promise<ReadonlyMap<string, string>> {
  const db = await openTables(releaseTablePaths(release), { threads: 1, memory: "256MB" });
  try {
    const rows = await db.rows(
      `select record.source, string_agg(cast(evidence as varchar), chr(10) order by evidence.id) as text
       from evidence join record on record.id = evidence.id
       group by record.source`,
    );
    return new Map(rows.map(({ source, text }) => [String(source), digestOf(String(text))]));
  } finally {
    db.close();
  }
}

async function payloadsDigest(source: string): Promise<string> {
  const folder = join(PAYLOADS, source);
  const names = (await readdir(folder)).sort();
  const lines = names.map(async (name) => `${name} ${digestOf(await readFile(join(folder, name)))}`);
  return digestOf((await Promise.all(lines)).join("\n"));
}

function digestOf(content: string | Uint8Array): string {
  return `sha256:${hash("sha256", content)}`;
}

/** What is wrong, a sentence each: readers that read the same payloads in another way under the same version, or went back. */
export function unraisedReaders(before: GoldenReaders, after: GoldenReaders): string[] {
  return Object.entries(after).flatMap(([source, now]) => {
    const then = before[source];
    if (then === undefined || now.version > then.version) return [];
    const place = `\`reader\` in pipeline/sources/${source}/source.ts`;
    if (now.version < then.version)
      return [`the reader of ${source} was ${then.version} and is ${now.version}: ${place} only ever rises`];
    if (now.evidence === then.evidence || now.payloads !== then.payloads) return [];
    return [
      `payloads of ${source} are read as something else, and its reader is still ${now.version}: raise ${place}, so that it can be said why scores move`,
    ];
  });
}

/** The file's text: one line a source. */
export function goldenReadersText(readers: GoldenReaders): string {
  const lines = Object.entries(readers).map(
    ([source, reader]) => `  ${JSON.stringify(source)}: ${JSON.stringify(reader)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}
