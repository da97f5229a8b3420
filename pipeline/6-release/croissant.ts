/** croissant.json: the tables of a release for machine learning tools, in Croissant 1.0. */

import { PUBLICATION } from "../../schemas/public/descriptors.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { ColumnType } from "../../schemas/public/tables.ts";
import { citationText, licenceIn } from "./citation.ts";
import type { DescribedFile } from "./described-files.ts";
import type { UnsealedRelease } from "./index.ts";

/** The context of Croissant 1.0, whole: a reader warns of one that leaves terms out, used or not. */
const CONTEXT = {
  "@language": "en",
  "@vocab": "https://schema.org/",
  sc: "https://schema.org/",
  cr: "http://mlcommons.org/croissant/",
  rai: "http://mlcommons.org/croissant/RAI/",
  dct: "http://purl.org/dc/terms/",
  conformsTo: "dct:conformsTo",
  data: { "@id": "cr:data", "@type": "@json" },
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  examples: { "@id": "cr:examples", "@type": "@json" },
  ...termsOfCroissant(
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath",
    "key md5 parentField path recordSet references regex repeated replace samplingRate separator source subField transform",
  ),
} as const;

function termsOfCroissant(...lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.flatMap((line) => line.split(" ")).map((term) => [term, `cr:${term}`]));
}

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: "sc:Text",
  int: "sc:Integer",
  bigint: "sc:Integer",
  bool: "sc:Boolean",
  hundredths: "sc:Float",
};

const FACTS = new Map<string, string>(EVIDENCE.map(({ name, fact }) => [name, fact]));

/** The descriptor: one record set a table, read from its Parquet file. */
export function croissant(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const tables = files.filter(({ path }) => path.endsWith(".parquet"));
  return {
    "@context": CONTEXT,
    "@type": "sc:Dataset",
    conformsTo: "http://mlcommons.org/croissant/1.0",
    name: PUBLICATION.name,
    alternateName: `${PUBLICATION.title} ${receipt.scoreReleaseVersion}`,
    description: PUBLICATION.summary,
    identifier: receipt.releaseDigest,
    // A release does not know where it is served: it is named by its digest.
    url: `urn:${receipt.releaseDigest}`,
    version: semanticVersion(receipt.scoreReleaseVersion),
    datePublished: receipt.publishedAt,
    license: licenceIn(receipt).url,
    creator: { "@type": "sc:Organization", name: PUBLICATION.publisher },
    keywords: PUBLICATION.keywords,
    citeAs: citationText(receipt),
    distribution: files.map(fileObject),
    recordSet: tables.map(recordSet),
  };
}

/** `2026.11.01.2` as `2026.11.1+2`: Croissant asks for MAJOR.MINOR.PATCH without leading zeros. */
export function semanticVersion(version: string): string {
  const [year, month, day, more] = version.split(".").map(Number);
  return `${year}.${month}.${day}${more === undefined ? "" : `+${more}`}`;
}

function fileObject({ path, bytes, sha256, holds, mediaType }: DescribedFile) {
  return {
    "@type": "cr:FileObject",
    "@id": path,
    name: path,
    description: holds,
    contentUrl: path,
    contentSize: `${bytes} B`,
    encodingFormat: encodingOf(path, mediaType),
    sha256,
  };
}

/** Croissant's tools know Parquet by the name it had before it was registered. */
function encodingOf(path: string, mediaType: string): string {
  return path.endsWith(".parquet") ? "application/x-parquet" : mediaType;
}

function recordSet({ path, holds, table }: DescribedFile) {
  const name = path.replace(/^data\/(.+?)(?:\/part-\d+)?\.parquet$/, "$1");
  return {
    "@type": "cr:RecordSet",
    "@id": name,
    name,
    description: holds,
    key: (table?.key ?? []).map((column) => ({ "@id": `${name}/${column}` })),
    field: Object.entries(table?.columns ?? {}).map(([column, type]) => ({
      "@type": "cr:Field",
      "@id": `${name}/${column}`,
      name: `${name}/${column}`,
      description: FACTS.get(column) ?? column.replaceAll("_", " "),
      dataType: TYPES[type],
      source: { fileObject: { "@id": path }, extract: { column } },
    })),
  };
}
