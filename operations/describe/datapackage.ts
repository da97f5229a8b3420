/** datapackage.json: the tables of a release as a Frictionless Data Package (version 1). */

import type { UnsealedRelease } from "../../pipeline/6-release/unsealed-release.ts";
import { PUBLICATION } from "../../schemas/public/descriptors.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { ColumnType, Table } from "../../schemas/public/tables.ts";
import { licenceIn } from "./data-licence.ts";
import type { DescribedFile } from "./files.ts";

const FACTS = new Map<string, string>(EVIDENCE.map(({ name, fact }) => [name, fact]));

/** Frictionless field types; means are decimals with two places. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: "string",
  int: "integer",
  bigint: "integer",
  bool: "boolean",
  hundredths: "number",
};

/** The descriptor. */
export function datapackage(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const { scoreReleaseVersion, releaseDigest, publishedAt } = receipt;
  const licence = licenceIn(receipt);
  return {
    profile: "data-package",
    name: PUBLICATION.name,
    id: releaseDigest,
    title: `${PUBLICATION.title} ${scoreReleaseVersion}`,
    description: PUBLICATION.summary,
    version: scoreReleaseVersion,
    created: publishedAt,
    keywords: PUBLICATION.keywords,
    licenses: [{ name: licence.id, title: licence.title, path: licence.url }],
    contributors: [{ title: PUBLICATION.publisher, role: "publisher" }],
    resources: files.map(resourceOf),
  };
}

function resourceOf({ path, bytes, sha256, holds, mediaType, table }: DescribedFile) {
  return {
    profile: "data-resource",
    name: path.replace(/^data\//, "").replaceAll(/[./]/g, "-"),
    title: holds,
    path,
    format: path.split(".").at(-1) ?? "",
    mediatype: mediaType,
    bytes,
    hash: `sha256:${sha256}`,
    ...(table === null ? {} : { schema: tableSchema(table) }),
  };
}

/** Columns and key of a table as a Table Schema. */
export function tableSchema({ columns, key }: Table) {
  return {
    fields: Object.entries(columns).map(([name, type]) => ({
      name,
      type: TYPES[type],
      ...(FACTS.has(name) ? { description: FACTS.get(name) } : {}),
      ...(key.includes(name) ? { constraints: { required: true } } : {}),
    })),
    primaryKey: key,
  };
}
