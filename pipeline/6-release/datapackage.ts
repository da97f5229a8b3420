/** datapackage.json: the tables of a release as a Frictionless Data Package (version 2). */

import { PUBLICATION } from "../../schemas/public/descriptors.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { ColumnType, Table } from "../../schemas/public/tables.ts";
import { licenceIn } from "./citation.ts";
import type { DescribedFile } from "./described-files.ts";
import type { UnsealedRelease } from "./index.ts";

const FACTS = new Map<string, string>(EVIDENCE.map(({ name, fact }) => [name, fact]));

/** Frictionless field types; means are decimals with two places. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: "string",
  int: "integer",
  bigint: "integer",
  bool: "boolean",
  hundredths: "number",
};

const NUMBERS: ReadonlySet<string> = new Set(["integer", "number"]);

/** As Data Package 2.0 names itself. */
const PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json";

/** The descriptor. */
export function datapackage(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const { scoreReleaseVersion, releaseDigest, publishedAt } = receipt;
  const licence = licenceIn(receipt);
  return {
    $schema: PROFILE,
    name: PUBLICATION.name,
    id: releaseDigest,
    title: `${PUBLICATION.title} ${scoreReleaseVersion}`,
    description: PUBLICATION.summary,
    version: scoreReleaseVersion,
    created: publishedAt,
    keywords: PUBLICATION.keywords,
    licenses: [{ name: licence.id, title: licence.title, path: licence.url }],
    contributors: [{ title: PUBLICATION.publisher, roles: ["publisher"] }],
    resources: files.map(resourceOf),
  };
}

function resourceOf({ path, bytes, sha256, holds, mediaType, table }: DescribedFile) {
  return {
    name: path.replace(/^data\//, "").replaceAll(/[./]/g, "-"),
    title: holds,
    path,
    format: path.split(".").at(-1) ?? "",
    mediatype: mediaType,
    hash: `sha256:${sha256}`,
    // Frictionless reads Parquet by rows and counts no bytes of it: a size would be one that it cannot find.
    ...(table === null ? { bytes } : { type: "table", schema: tableSchema(table) }),
  };
}

/** Columns and key of a table as a Table Schema. */
export function tableSchema({ columns, key }: Table) {
  return {
    fields: Object.entries(columns).map(([name, type]) => ({
      name,
      type: TYPES[type],
      ...(FACTS.has(name) ? { description: FACTS.get(name) } : {}),
      // Frictionless reads Parquet through a data frame, which has no other word for a number that is not there.
      ...(NUMBERS.has(TYPES[type]) ? { missingValues: ["nan"] } : {}),
      ...(key.includes(name) ? { constraints: { required: true } } : {}),
    })),
    // What Parquet has no value for is missing; an empty text is a text.
    missingValues: [],
    primaryKey: key,
  };
}
