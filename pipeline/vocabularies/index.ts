// The vocabularies: word lists and patterns as CSV beside this file, loaded once as look-ups that never scan a table.
import { type AccessLevels, readAccessLevels } from "./access-levels.ts";
import { type CodeHosts, readCodeHosts } from "./code-hosts.ts";
import { type Countries, readCountries } from "./countries.ts";
import { readRegions } from "./country-regions.ts";
import { type DateTypes, readDateTypes } from "./date-types.ts";
import { readDegrees } from "./degrees.ts";
import { extensionsOf, type FileKinds, readFileKinds } from "./file-kinds.ts";
import { type FileNames, readFileNames } from "./file-names.ts";
import { type Folding, readFolding } from "./folding.ts";
import { type IdentifierTypes, readIdentifierTypes } from "./identifier-types.ts";
import { type Licences, readLicences } from "./licences.ts";
import { type Placeholders, readPlaceholders } from "./placeholders.ts";
import { readTable, type VocabularyTable } from "./read-table.ts";
import { type Relations, readRelations } from "./relations.ts";
import { type Roles, readRoles } from "./roles.ts";

/** Every vocabulary, and the sha256 (hex) of each CSV by file name. */
export interface Vocabularies {
  readonly placeholders: Placeholders;
  readonly relations: Relations;
  readonly fileKinds: FileKinds;
  readonly fileNames: FileNames;
  readonly licences: Licences;
  readonly roles: Roles;
  readonly accessLevels: AccessLevels;
  readonly codeHosts: CodeHosts;
  readonly countries: Countries;
  readonly names: Folding;
  readonly identifierTypes: IdentifierTypes;
  readonly dateTypes: DateTypes;
  readonly digest: Readonly<Record<string, string>>;
  /** Told of every work that is referred to without an identifier, in its own words; nobody listens but who explains one score. */
  readonly noteUnidentified?: (work: string) => void;
}

/** The files and their columns. `note` is for readers of the table and has no effect. */
export const VOCABULARY_COLUMNS = {
  "access-levels.csv": ["match", "text", "level", "note"],
  "code-hosts.csv": ["host", "note"],
  "contributor-roles.csv": ["role", "scheme", "counts", "note"],
  "country-aliases.csv": ["alias", "alpha3", "note"],
  "country-ambiguous.csv": ["code", "meaning"],
  "country-regions.csv": ["name", "code", "alpha3", "alone", "note"],
  "date-types.csv": ["date_type", "coverage", "note"],
  "degrees.csv": ["text", "position", "note"],
  "file-kinds.csv": ["match", "pattern", "open", "inspectable", "documentation", "code", "manifest", "note"],
  "folding.csv": ["character", "folded", "note"],
  "generic-filenames.csv": ["word", "note"],
  "identifier-types.csv": ["type", "scheme", "note"],
  "licence-aliases.csv": ["match", "text", "spdx_id", "note"],
  "licence-classes.csv": ["pattern", "permissive", "open", "note"],
  "licence-phrases.csv": ["phrase", "meaning", "note"],
  "name-particles.csv": ["particle", "capital", "note"],
  "placeholders.csv": ["match", "text", "scope", "note"],
  "related-types.csv": ["text", "related_type", "note"],
  "relations.csv": ["relation_type", "related_type", "counts_as", "note"],
} as const;

let loaded: Promise<Vocabularies> | undefined;

/**
 * The vocabularies of this folder, read once by each process.
 * @throws VocabularyError naming file and line where a table holds a word, an id or a key it may not
 */
export function loadVocabularies(): Promise<Vocabularies> {
  loaded ??= readVocabularies(new URL(".", import.meta.url)).catch((error: unknown) => {
    // A disk may answer the next time.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/**
 * Reads the vocabularies of a folder with the same files as this one.
 * @throws VocabularyError as {@link loadVocabularies}
 */
export async function readVocabularies(folder: URL): Promise<Vocabularies> {
  const digest: Record<string, string> = {};
  const read = async (file: keyof typeof VOCABULARY_COLUMNS): Promise<VocabularyTable> => {
    const table = await readTable(folder, file, VOCABULARY_COLUMNS[file]);
    digest[file] = table.digest;
    return table;
  };

  const kinds = await read("file-kinds.csv");
  const extensions = extensionsOf(kinds);
  const fileNames = readFileNames(await read("generic-filenames.csv"), (suffix) => extensions.has(suffix));
  const degrees = readDegrees(await read("degrees.csv"), await read("name-particles.csv"));
  const names = readFolding(await read("folding.csv"), degrees);
  return {
    placeholders: readPlaceholders(await read("placeholders.csv")),
    relations: readRelations(await read("relations.csv"), await read("related-types.csv")),
    fileKinds: readFileKinds(kinds, fileNames.isGeneric),
    fileNames,
    licences: readLicences(
      await read("licence-aliases.csv"),
      await read("licence-classes.csv"),
      await read("licence-phrases.csv"),
    ),
    roles: readRoles(await read("contributor-roles.csv")),
    accessLevels: readAccessLevels(await read("access-levels.csv")),
    codeHosts: readCodeHosts(await read("code-hosts.csv")),
    countries: readCountries(
      await read("country-aliases.csv"),
      await read("country-ambiguous.csv"),
      readRegions(await read("country-regions.csv"), names),
      names,
    ),
    names,
    identifierTypes: readIdentifierTypes(await read("identifier-types.csv")),
    dateTypes: readDateTypes(await read("date-types.csv")),
    digest: Object.fromEntries(Object.entries(digest).sort()),
  };
}
