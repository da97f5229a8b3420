/**
 * The evidence that the reader of each source extracts from the bundled payloads. If a reader's evidence changes, its version
 * must change too, because diff, report and history use the version to explain why a score changed.
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

/** The version and the digests of each reader, by the name of its source. */
export const goldenReaders = z.record(
  z.string(),
  z.strictObject({
    version: z.int().positive(),
    /** sha256 over the bundled payloads of the source. */
    payloads: digest,
    /** sha256 over the evidence that the reader extracts from the bundled payloads. */
    evidence: digest,
  }),
);
export type GoldenReaders = z.infer<typeof goldenReaders>;

/** Builds the release of the bundled corpus once for each test run, and queries it. */
export async function makeGoldenReaders(): Promise<GoldenReaders> {
  await using bundled = await bundledRelease();
  const evidence = await readEvidence(bundled.folder);
  const readers = SOURCES.map(async ({ name, reader }) => {
    const payloads = await payloadsDigest(name);
    return [name, { version: reader, payloads, evidence: evidence.get(name) ?? digestContent("") }] as const;
  });
  return Object.fromEntries((await Promise.all(readers)).sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function readEvidence(release: string): Promise<ReadonlyMap<string, string>> {
  const db = await openTables(releaseTablePaths(release), { threads: 1, memory: "256MB" });
  try {
    const rows = await db.rows(
      `select record.source, string_agg(cast(evidence as varchar), chr(10) order by evidence.id) as text
       from evidence join record on record.id = evidence.id
       group by record.source`,
    );
    return new Map(rows.map(({ source, text }) => [String(source), digestContent(String(text))]));
  } finally {
    db.close();
  }
}

async function payloadsDigest(source: string): Promise<string> {
  const folder = join(PAYLOADS, source);
  const names = (await readdir(folder)).sort();
  const lines = names.map(async (name) => `${name} ${digestContent(await readFile(join(folder, name)))}`);
  return digestContent((await Promise.all(lines)).join("\n"));
}

function digestContent(content: string | Uint8Array): string {
  return `sha256:${hash("sha256", content)}`;
}

/** Returns a sentence for each reader that extracts other evidence under the same version, or that has a lower version. */
export function unraisedReaders(before: GoldenReaders, after: GoldenReaders): string[] {
  return Object.entries(after).flatMap(([source, now]) => {
    const then = before[source];
    if (then === undefined || now.version > then.version) return [];
    const place = `\`reader\` in pipeline/sources/${source}/source.ts`;
    if (now.version < then.version)
      return [`the reader of ${source} was ${then.version} and is ${now.version}: ${place} only ever rises`];
    if (now.evidence === then.evidence || now.payloads !== then.payloads) return [];
    return [
      `payloads of ${source} are read as other evidence, and the version of its reader is still ${now.version}: raise ${place}, so that a report can explain changed scores`,
    ];
  });
}

/** Returns the text of readers.json, with one line for each source. */
export function goldenReadersText(readers: GoldenReaders): string {
  const lines = Object.entries(readers).map(
    ([source, reader]) => `  ${JSON.stringify(source)}: ${JSON.stringify(reader)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}
