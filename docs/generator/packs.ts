/** Sections of docs/packs.md: families, keys, ranges, numbers of files, and an example byte by byte. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROUTES } from "../../api-static/routes/index.ts";
import { isBadge, type PageFile, type Route } from "../../api-static/routes/route.ts";
import { RULE_FILES } from "../../pipeline/diff/rules.ts";
import { DOI_LOOKUP } from "../../pipeline/packs/doi-lookup.ts";
import { chooseSplit, listRanges, pageAddress } from "../../pipeline/packs/format.ts";
import { PackWriter } from "../../pipeline/packs/pack-writer.ts";
import { listFamilies } from "../../pipeline/pages/keyed-pages.ts";
import { DIFF_FILE, DIFF_TABLE_FILES } from "../../schemas/public/api/diff.ts";
import { DESCRIPTORS } from "../../schemas/public/descriptors.ts";
import { HISTORY_FILE } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { RELEASE_TABLES } from "../../schemas/public/tables.ts";
import { VALIDATION_FILE, VALIDATION_PAGE } from "../../schemas/public/validation.ts";
import { blocks, code, codes, table } from "./markdown.ts";

/** Writes a table of the families of pages: the route, the key and the content of each. */
export async function packFamilies(): Promise<string> {
  const keyed = ROUTES.filter(({ subject, pages }) => subject !== "release" && pages.length > 0);
  const rows = keyed.map((route: Route) => [
    codes([...new Set(route.pages.map((page) => pageAddress(route, page, "").family))]),
    code(route.path),
    code(route.key?.name ?? ""),
    isBadge(route) ? "SVG, equal ones stored once" : "JSON, one line for each page",
  ]);
  return table(["family", "pages of", "key", "content"], rows);
}

/** Writes a table of the keys in the pack with pages that name the release. */
export async function packReleaseKeys(): Promise<string> {
  const rows = ROUTES.filter(({ subject }) => subject === "release").flatMap((route: Route) =>
    [...Map.groupBy(route.pages, ({ path }) => path).values()].map(([page]) => releaseRow(route, page)),
  );
  return table(["key", "page of"], rows);
}

function releaseRow(route: Route, page: PageFile | undefined): string[] {
  if (page === undefined)
    throw new Error(`the route ${route.name} has no pages in releases, so it cannot be in the table of packs`);
  const { key } = pageAddress(route, page, "{version}");
  return [code(key), code(page.query === "" ? route.path : `${route.path}?${page.query}`)];
}

/**
 * Numbers of datasets for which the files of a release are counted. The release has as many researchers as datasets.
 */
const SIZES = [
  ["1,999", 1999],
  ["2,000", 2000],
  ["1 million", 1_000_000],
  ["10 million", 10_000_000],
  ["more", 10_000_001],
] as const;

/** Writes a table of the number of files in a release with both versions, by the number of its datasets. */
export async function packFiles(): Promise<string> {
  const split = (["record", "researcher"] as const).flatMap((subject) => listFamilies(subject, PUBLIC_VERSIONS)).length;
  const single = listFamilies("repository", PUBLIC_VERSIONS).length + 1;
  const tables = RELEASE_TABLES.length;
  const files = [
    HISTORY_FILE,
    ...Object.values(RULE_FILES),
    DIFF_FILE,
    ...DIFF_TABLE_FILES,
    ...Object.values(DESCRIPTORS),
    VALIDATION_FILE,
    VALIDATION_PAGE,
    DOI_LOOKUP,
  ];
  const others = files.length + ["release.json", "manifest.ndjson"].length;
  const rows = SIZES.map(([name, datasets]) => {
    const packs = split * chooseSplit(datasets) + single;
    return [
      name,
      String(chooseSplit(datasets)),
      String(packs),
      String(tables),
      String(others),
      String(packs + tables + others),
    ];
  });
  return table(["datasets", "packs of a split family", "packs", "tables", "other files", "all"], rows);
}

/** Writes a list of the ranges into which a family of pages is split, each by its beginning. */
export async function packRanges(): Promise<string> {
  const names = (split: 16 | 64) => listRanges(split).map(({ from }) => from);
  const [all, fewer] = [names(16), names(64)];
  return [`- 16 packs: ${codes(all)}`, `- 64 packs: ${codes(fewer.slice(0, 6))} … ${codes(fewer.slice(-2))}`].join(
    "\n",
  );
}

/** Two pages of invented records as an example. They are so short that zstd does not compress them. */
const EXAMPLE = [
  ["r1b2c3d4e5f60718293a4b5c6", '{"rain":12}\n'],
  ["r9f8e7d6c5b4a39281706f5e4", '{"snow":30}\n'],
] as const;

/** Returns the bytes of a pack with the two pages of the example. */
export function examplePack(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "share-pack-"));
  try {
    const path = join(folder, "example.zst");
    const writer = new PackWriter(path, { frames: { bits: 2 } });
    for (const [key, page] of EXAMPLE) writer.add(key, page);
    writer.finish();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a pack with two pages as an example: the whole pack in hex, then every field. */
export async function packExample(): Promise<string> {
  const pack = examplePack();
  const lines = Array.from({ length: Math.ceil(pack.length / 16) }, (_, line) => {
    const bytes = pack.subarray(16 * line, 16 * line + 16);
    const hex = bytes.toString("hex").replace(/../g, "$& ").padEnd(48);
    return `${(16 * line).toString(16).padStart(4, "0")}  ${hex} ${bytes.toString("latin1").replace(/[^ -~]/g, ".")}`;
  });
  return blocks(
    "<!-- not run: made from the writer, and compared with it by `make check` -->",
    `\`\`\`text\n${lines.join("\n")}\n\`\`\``,
    table(["offset", "bytes", "content"], listPackFields(pack)),
  );
}

/** Returns a row for each field of the pack, in order and without gaps. */
function listPackFields(pack: Buffer): string[][] {
  const rows: string[][] = [];
  let at = 0;
  const take = (bytes: number, what: string) => {
    const hex = pack.toString("hex", at, at + bytes);
    rows.push([code(at.toString(16).padStart(4, "0")), code(bytes > 12 ? `${hex.slice(0, 16)}…` : hex), what]);
    at += bytes;
  };
  const texts = EXAMPLE.map(([, page]) => page).join("");
  take(4, "start of a zstd frame");
  take(2, `its header: one segment with ${texts.length} bytes of content`);
  take(3, "its only block, the last one, not compressed");
  take(texts.length, "the two pages, each with a line feed");
  const leaf = at;
  take(4, "the leaf, a skippable frame");
  take(4, `number of bytes that follow: ${pack.readUInt32LE(at)}`);
  take(2, `number of frames: ${pack.readUInt16LE(at)}`);
  take(2, `number of pages: ${pack.readUInt16LE(at)}`);
  take(6, "the frame: its offset in the pack");
  take(4, `its length in the pack: ${pack.readUInt32LE(at)}`);
  take(4, `its bytes after decompression: ${pack.readUInt32LE(at)}`);
  for (const [key] of EXAMPLE) {
    take(1, `bytes of the key: ${pack.readUInt8(at)}`);
    take(key.length, `the key, ${code(key)}`);
    take(2, "its frame, as an index into the leaf's list");
    take(4, `its offset in the decompressed frame: ${pack.readUInt32LE(at)}`);
    take(4, `its length: ${pack.readUInt32LE(at)}`);
    take(32, "its sha256");
  }
  const root = at;
  take(4, "the root, a skippable frame");
  take(4, `number of bytes that follow: ${pack.readUInt32LE(at)}`);
  take(6, "pages of the pack: 2");
  take(12, "the place of the leaf's first page, here its id");
  take(6, `its offset in the pack: 0x${leaf.toString(16)}`);
  take(4, `its length: ${root - leaf}`);
  take(32, "its sha256");
  take(4, `length of the whole root: ${pack.length - root}, the manifest's ${code("index.bytes")}`);
  take(8, `the mark, ${code("SHAREPK1")}`);
  if (at !== pack.length)
    throw new Error(
      `the example of a pack has ${pack.length} bytes, but its described fields have ${at}; describe the others`,
    );
  return rows;
}
