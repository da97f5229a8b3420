/** Reads evidence from the licence, the files and the relations of a payload. */

import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { Vocabularies } from "../vocabularies/index.ts";
import { isIdentifier, readDoi } from "./identifiers.ts";

type LicenceEvidence = Pick<Evidence, "license_text" | "license_spdx" | "license_permissive" | "license_open">;

/**
 * One statement of a licence. `text` is shown, and `spellings` are all its forms (id, URL, name), the most exact one
 * first.
 */
export interface LicenceStatement {
  readonly text: string;
  readonly spellings: readonly string[];
}

/**
 * Reads the first statement that names an SPDX licence. If there is none, the first Creative Commons licence without a
 * version or an SPDX id counts, because its clauses are known although its id is not. Otherwise, only the text of the first statement
 * is known. An empty list means that the payload contains no licence. Ignores statements on the licence of the metadata.
 */
export function readLicence(stated: readonly LicenceStatement[], vocabularies: Vocabularies): LicenceEvidence {
  const statements = stated.filter(({ spellings }) => !spellings.some(vocabularies.licences.isAboutMetadata));
  for (const { text, spellings } of statements) {
    const spdx = vocabularies.licences.resolve(spellings);
    if (spdx === "") continue;
    return {
      license_text: text,
      license_spdx: spdx,
      license_permissive: vocabularies.licences.isPermissive(spdx),
      license_open: vocabularies.licences.isOpen(spdx),
    };
  }
  for (const { text, spellings } of statements) {
    const unversioned = vocabularies.licences.resolveUnversioned(spellings);
    if (unversioned === "") continue;
    return {
      license_text: text,
      license_spdx: null,
      license_permissive: vocabularies.licences.isPermissive(unversioned),
      license_open: vocabularies.licences.isOpen(unversioned),
    };
  }
  return { license_text: statements[0]?.text ?? "", license_spdx: "", license_permissive: false, license_open: false };
}

type FileEvidence = Pick<
  Evidence,
  | "file_count"
  | "open_format_file_count"
  | "inspectable_file_count"
  | "documentation_file_count"
  | "code_file_count"
  | "manifest_file_count"
  | "descriptive_filename_count"
>;

/** Suffix of one piece of a split file, such as `.part1`. Software adds it, not the depositor. */
const PIECE = /\.part[-_.]?[a-z0-9]{1,3}$/i;

/** Counts the files of each kind. Every count is null if the payload has no list of files. */
export function readFiles(names: readonly string[] | null, vocabularies: Vocabularies): FileEvidence {
  const kinds = names?.map((name) => vocabularies.fileKinds.readKinds(name)) ?? null;
  const isDescriptive = (name: string) => vocabularies.fileNames.isDescriptive(name.replace(PIECE, ""));
  names?.forEach((name, i) => {
    const kind = kinds?.[i];
    if (kind === undefined || vocabularies.note === undefined) return;
    vocabularies.note("descriptive_filename_count", name, isDescriptive(name));
    vocabularies.note("open_format_file_count", name, kind.open);
    if (kind.documentation) vocabularies.note("documentation_file_count", name, true);
    if (kind.code) vocabularies.note("code_file_count", name, true);
    if (kind.manifest) vocabularies.note("manifest_file_count", name, true);
  });
  const count = (test: (kind: NonNullable<typeof kinds>[number]) => boolean) => kinds?.filter(test).length ?? null;
  return {
    file_count: names?.length ?? null,
    open_format_file_count: count((kind) => kind.open),
    inspectable_file_count: count((kind) => kind.open && kind.inspectable),
    documentation_file_count: count((kind) => kind.documentation),
    code_file_count: count((kind) => kind.code),
    manifest_file_count: count((kind) => kind.manifest),
    descriptive_filename_count: names?.filter(isDescriptive).length ?? null,
  };
}

/** Evidence columns that are counted from a list of files. */
export const FILE_COLUMNS = [
  "file_count",
  "open_format_file_count",
  "inspectable_file_count",
  "documentation_file_count",
  "code_file_count",
  "manifest_file_count",
  "descriptive_filename_count",
] as const satisfies readonly EvidenceName[];

/**
 * Counts files like {@link readFiles}. If the list is incomplete, a count of 0 becomes null (unknown), and so does the
 * number of descriptive names.
 */
export function readPartialFiles(
  names: readonly string[] | null,
  isComplete: boolean,
  vocabularies: Vocabularies,
): ReturnType<typeof readFiles> {
  const files = readFiles(names, vocabularies);
  if (isComplete) return files;
  return {
    file_count: files.file_count || null,
    open_format_file_count: files.open_format_file_count || null,
    inspectable_file_count: files.inspectable_file_count || null,
    documentation_file_count: files.documentation_file_count || null,
    code_file_count: files.code_file_count || null,
    manifest_file_count: files.manifest_file_count || null,
    descriptive_filename_count: null,
  };
}

export interface StatedRelation {
  readonly type: string;
  readonly relatedType: string | null;
  readonly identifier: string;
  readonly identifierType: string | null;
}

interface RelationCounts {
  reference_count: number;
  reference_pid_count: number;
  publication_link_count: number;
  data_link_count: number;
  linked_code_count: number;
  derivative_count: number;
  related_identifier_count: number;
  /** True if the record is related to another version of itself. */
  version: boolean;
}

/** Evidence columns that are counted from a list of relations. */
export const RELATION_COLUMNS = [
  "reference_count",
  "reference_pid_count",
  "publication_link_count",
  "data_link_count",
  "linked_code_count",
  "derivative_count",
  "related_identifier_count",
  "version_stated",
] as const satisfies readonly EvidenceName[];

/** Counts the distinct works for each column. A work that occurs twice in the same relation counts once. */
export function countRelations(relations: readonly StatedRelation[], vocabularies: Vocabularies): RelationCounts {
  const counts: RelationCounts = {
    reference_count: 0,
    reference_pid_count: 0,
    publication_link_count: 0,
    data_link_count: 0,
    linked_code_count: 0,
    derivative_count: 0,
    related_identifier_count: 0,
    version: false,
  };
  const seen = new Set<string>();
  for (const relation of relations) {
    const bare = BARE_DOI.test(relation.identifier);
    if (!bare && vocabularies.placeholders.isPlaceholder(relation.identifier, "any")) continue;
    const work = bare ? relation.identifier.toLowerCase() : workKey(relation.identifier);
    const key = `${relation.type.toLowerCase()} ${work}`;
    if (seen.has(key)) continue;
    seen.add(key);
    addRelation(counts, relation, vocabularies);
  }
  return counts;
}

/** Matches a DOI without a prefix such as `doi:`. It is canonical except for upper and lower case. */
const BARE_DOI = /^10\.\d{4,9}\/[!-$&-~]+$/;

function addRelation(counts: RelationCounts, relation: StatedRelation, vocabularies: Vocabularies): void {
  const { note } = vocabularies;
  const { identifier } = relation;
  const onCodeHost = !BARE_DOI.test(identifier) && vocabularies.codeHosts.isCodeHost(identifier);
  // The URL of a source-code host implies the type of the work, if the record does not state it.
  const relatedType = relation.relatedType ?? (onCodeHost ? "Software" : null);
  const countNames = vocabularies.relations.countsAs(relation.type, relatedType);
  if (countNames.has("reference")) {
    counts.reference_count += 1;
    const isIdentified = hasPid(relation, vocabularies);
    if (isIdentified) counts.reference_pid_count += 1;
    note?.("reference_pid_count", identifier, isIdentified);
  }
  for (const [name, column] of WORKS) {
    if (!countNames.has(name) && !(name === "code" && onCodeHost)) continue;
    counts[column] += 1;
    note?.(column, identifier, true);
  }
  if (countNames.has("version")) {
    counts.version = true;
    note?.("version_stated", identifier, true);
  }
}

/** The kinds of related works in relations.csv, each with the evidence column that counts it. */
const WORKS = [
  ["publication", "publication_link_count"],
  ["data", "data_link_count"],
  ["code", "linked_code_count"],
  ["derivative", "derivative_count"],
  ["related", "related_identifier_count"],
] as const;

/**
 * True if the relation has a persistent identifier. A DOI and a URL always count; any other text must have the format of
 * its stated type.
 */
function hasPid(relation: StatedRelation, vocabularies: Vocabularies): boolean {
  const { identifier, identifierType } = relation;
  if (isIdentifier(identifier, "doi") || isIdentifier(identifier, "url")) return true;
  const scheme = identifierType === null ? null : vocabularies.identifierTypes.findScheme(identifierType);
  return scheme !== null && isIdentifier(identifier, scheme);
}

function workKey(identifier: string): string {
  return readDoi(identifier) ?? identifier.trim().toLowerCase();
}
