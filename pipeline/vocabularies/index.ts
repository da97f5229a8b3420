/**
 * Loads the vocabularies: the CSV files of words and patterns in this folder. `npm run generate` compiles them to
 * tables.json, so that browsers can load them too.
 */

import type { EvidenceName } from "../../schemas/public/evidence.ts";
import { VOCABULARY_COLUMNS, VOCABULARY_FILES, type VocabularyFile } from "./columns.ts";
import { type Countries, readCountries, readRegions } from "./countries.ts";
import {
  baseName,
  type FileKinds,
  isNumber,
  listExtensions,
  readFileKinds,
  readStem,
  splitWords,
} from "./file-kinds.ts";
import { type Folding, readDegrees, readFolding } from "./folding.ts";
import { type Licences, readLicences } from "./licences.ts";
import {
  addressKey,
  type CompiledTable,
  indexRows,
  makeTable,
  memoise,
  plainKey,
  type VocabularyRow,
  type VocabularyTable,
  wordKey,
} from "./read-table.ts";
import compiled from "./tables.json" with { type: "json" };

/** All vocabularies, and the sha256 (hex) of each CSV file by its name. */
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
  /** Receives each value that an evidence column counts, or could count but does not (reading/values.ts). */
  readonly note?: (evidence: EvidenceName, value: string, counts: boolean) => void;
}

/** The content of tables.json. */
export type CompiledVocabularies = Readonly<Record<VocabularyFile, CompiledTable>>;

let loaded: Vocabularies | undefined;

/**
 * Loads the vocabularies of this folder once. Each vocabulary is only read when it is first used, and then throws a
 * VocabularyError with file and line if a word, id or key is invalid.
 */
export function loadVocabularies(): Vocabularies {
  loaded ??= readVocabularies(compiled);
  return loaded;
}

/** Reads the vocabularies in tables.json. Each vocabulary is only read when it is first used. */
export function readVocabularies(tables: CompiledVocabularies): Vocabularies {
  const read = (file: VocabularyFile) => makeTable(file, VOCABULARY_COLUMNS[file], tables[file]);
  const vocabularies: Vocabularies = lazily<Omit<Vocabularies, "note">>({
    placeholders: () => readPlaceholders(read("placeholders.csv")),
    relations: () => readRelations(read("relations.csv"), read("related-types.csv")),
    fileKinds: () => readFileKinds(read("file-kinds.csv"), vocabularies.fileNames.isGeneric),
    fileNames: () => {
      const extensions = listExtensions(read("file-kinds.csv"));
      return readFileNames(read("generic-filenames.csv"), (suffix) => extensions.has(suffix));
    },
    licences: () => readLicences(read("licence-aliases.csv"), read("licence-classes.csv"), read("licence-phrases.csv")),
    roles: () => readRoles(read("contributor-roles.csv")),
    accessLevels: () => readAccessLevels(read("access-levels.csv")),
    codeHosts: () => readCodeHosts(read("code-hosts.csv")),
    countries: () =>
      readCountries(
        read("country-aliases.csv"),
        read("country-ambiguous.csv"),
        readRegions(read("country-regions.csv"), vocabularies.names),
        vocabularies.names,
      ),
    names: () => readFolding(read("folding.csv"), readDegrees(read("degrees.csv"), read("name-particles.csv"))),
    identifierTypes: () => readIdentifierTypes(read("identifier-types.csv")),
    dateTypes: () => readDateTypes(read("date-types.csv")),
    digest: () => Object.fromEntries(VOCABULARY_FILES.map((file) => [file, tables[file].digest])),
  });
  return vocabularies;
}

/**
 * Makes each member of an object when it is first read. A score needs only a few vocabularies, and a web page waits for its
 * first score.
 */
function lazily<T extends object>(makers: { readonly [Name in keyof T]: () => T[Name] }): T {
  const object = Object.create(null);
  for (const [name, make] of Object.entries<() => unknown>(makers)) {
    const get = () => {
      const value = make();
      Object.defineProperty(object, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object;
}

/** Classifies date types of DataCite and Zenodo. */
interface DateTypes {
  /** True for a date of data collection or coverage; false for a date of publication. */
  isCoverage(type: string): boolean;
}

function readDateTypes(table: VocabularyTable): DateTypes {
  const rows = indexRows(table.rows, (row) => wordKey(row.filled("date_type")));
  const coverage = new Set([...rows].filter(([, row]) => row.flag("coverage")).map(([key]) => key));
  return { isCoverage: memoise((type) => coverage.has(wordKey(type))) };
}

/** Classifies roles of DataCite, CRediT, Zenodo and ClinicalTrials.gov. */
interface Roles {
  /** True if the role counts. Ignores case, spaces and hyphens. The URL of a CRediT role counts like its name. */
  counts(role: string): boolean;
}

function readRoles(table: VocabularyTable): Roles {
  const rows = indexRows(table.rows, (row) => wordKey(row.filled("role")));
  for (const row of rows.values()) row.word("scheme", ["datacite", "credit", "zenodo", "clinicaltrials"]);
  const counting = new Set([...rows].filter(([, row]) => row.flag("counts")).map(([key]) => key));
  return { counts: memoise((role) => counting.has(wordKey(role.replace(/^https?:.*\/(?=[^/])|\/$/g, "")))) };
}

/**
 * Length in characters from which a file name without extension can be descriptive (rubrics.md,
 * `descriptive_filename_count`).
 */
const MIN_STEM_LENGTH = 5;

/** Classifies file names and the words in them. */
interface FileNames {
  /**
   * True for a name that is long enough, has a word that is neither generic nor a number, and only letters, digits and
   * `._-`.
   */
  isDescriptive(fileName: string): boolean;
  /** True if a word, in lower case, does not describe the content of a file, such as "data" or a number. */
  isGeneric(word: string): boolean;
}

/** Reads generic-filenames.csv. `isExtension` is true for an extension, in lower case, of file-kinds.csv. */
function readFileNames(table: VocabularyTable, isExtension: (suffix: string) => boolean): FileNames {
  const generic = new Set(indexRows(table.rows, (row) => row.filled("word").toLowerCase()).keys());
  const isGeneric = (word: string): boolean => generic.has(word) || isNumber(word);
  return {
    isGeneric,
    isDescriptive(fileName) {
      const name = baseName(fileName);
      if (!/^[\p{L}\p{M}\p{Nd}._-]+$/u.test(name)) return false;
      const stem = readStem(name, isExtension);
      return [...stem].length >= MIN_STEM_LENGTH && !splitWords(stem).every(isGeneric);
    },
  };
}

/** Longest host name in characters (RFC 1035), and longest part of a URL in which a host is searched. */
const MAX_HOST_LENGTH = 253;
const ADDRESS_HEAD = 1000;

interface CodeHosts {
  /** True if the URL is on a code host. It may lack `https://`, or have the form `git@host:path`. */
  isCodeHost(url: string): boolean;
}

/** Reads code-hosts.csv. A host also matches its subdomains. `git.*` matches every host whose first label is git. */
function readCodeHosts(table: VocabularyTable): CodeHosts {
  const hosts = new Set(indexRows(table.rows, (row) => row.filled("host").toLowerCase()).keys());
  return {
    isCodeHost(url) {
      const labels = readHost(url).split(".");
      // `git.example.org` is a Git server, but `git.io` is a domain.
      if (labels.length > 2 && hosts.has(`${labels[0]}.*`)) return true;
      return labels.some((_, start) => hosts.has(labels.slice(start).join(".")));
    },
  };
}

function readHost(url: string): string {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/\/)?(?:[^@/?#]*@)?([a-z0-9.-]+)(?=[:/?#]|$)/i.exec(
    url.trim().slice(0, ADDRESS_HEAD),
  )?.[1];
  return host && host.length <= MAX_HOST_LENGTH ? host.toLowerCase() : "";
}

/** Where a placeholder applies: to `any` value, to the `name` of a person or organisation, or to a subject `term`. */
type PlaceholderScope = "any" | "name" | "term";

/** Recognises placeholders: texts without content, such as "n/a" or white space. */
interface Placeholders {
  isPlaceholder(text: string, scope: PlaceholderScope): boolean;
}

interface Patterns {
  readonly exact: ReadonlySet<string>;
  /**
   * Matches a text that begins with a placeholder (`begun`) or contains one (`holding`). Null if the file has no
   * placeholder of this kind.
   */
  readonly begun: RegExp | null;
  readonly holding: RegExp | null;
}

function readPlaceholders(table: VocabularyTable): Placeholders {
  const patterns = {
    any: compilePatterns(table, ["any"]),
    name: compilePatterns(table, ["any", "name"]),
    term: compilePatterns(table, ["any", "term"]),
  };
  return { isPlaceholder: (text, scope) => matches(plainKey(text), patterns[scope]) };
}

function compilePatterns(table: VocabularyTable, scopes: readonly PlaceholderScope[]): Patterns {
  const byMatch: Record<"exact" | "prefix" | "contains", string[]> = { exact: [], prefix: [], contains: [] };
  for (const row of indexRows(table.rows, rowKey).values()) {
    const match = row.word("match", ["exact", "prefix", "contains"]);
    if (scopes.includes(row.word("scope", ["any", "name", "term"]))) byMatch[match].push(plainKey(row.text("text")));
  }
  return {
    exact: new Set(byMatch.exact),
    begun: buildPattern("^", byMatch.prefix),
    holding: buildPattern("", byMatch.contains),
  };
}

/**
 * Returns a pattern that finds any of the texts, at the start or at any position; null if there are no texts. One
 * pattern is faster than a cache of results.
 */
function buildPattern(start: "" | "^", texts: readonly string[]): RegExp | null {
  const literals = texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return literals.length === 0 ? null : new RegExp(`${start}(?:${literals.join("|")})`);
}

/**
 * Returns the key of a row. It distinguishes scopes, because a word can be in one row for names and in another for terms.
 */
function rowKey(row: VocabularyRow): string {
  const scope = row.text("scope") === "term" ? "term " : "";
  return `${scope}${row.text("match")} ${plainKey(row.filled("text"))}`;
}

function matches(key: string, { exact, begun, holding }: Patterns): boolean {
  return key === "" || exact.has(key) || begun?.test(key) === true || holding?.test(key) === true;
}

const LEVELS = ["open", "embargoed", "restricted", "closed", "metadata_only"] as const;

const MATCHES = ["exact", "url", "constraint"] as const;

/** Longest text on access, in characters, that is read. */
const MAX_STATEMENT_LENGTH = 200;

type AccessLevel = (typeof LEVELS)[number];

interface AccessLevels {
  /** Returns the access level of a word, an `info:eu-repo` term or a COAR URL; null for any other text. */
  findLevel(text: string): AccessLevel | null;
  /** Returns the access level of a text on access constraints; null if it is not clear. For example, "None" means open. */
  levelOfConstraints(text: string): AccessLevel | null;
}

function readAccessLevels(table: VocabularyTable): AccessLevels {
  const keyByMatch = { exact: statementKey, url: addressKey, constraint: constraintKey };
  const rows = indexRows(table.rows, (row) => keyByMatch[row.word("match", MATCHES)](row.filled("text")));
  const levels = new Map([...rows].map(([key, row]) => [key, row.word("level", LEVELS)]));
  const templates = [...levels]
    .filter(([key]) => key.includes("*"))
    .map(([key, level]) => ({ level, fits: templateMatcher(key) }));
  const findLevel = memoise((text) => levels.get(statementKey(text)) ?? levels.get(addressKey(text)) ?? null);
  return {
    findLevel: (text) => (text.length > MAX_STATEMENT_LENGTH ? null : findLevel(text)),
    levelOfConstraints(text) {
      if (text.length > MAX_STATEMENT_LENGTH) return null;
      const key = constraintKey(text);
      return levels.get(key) ?? findLevel(text) ?? templates.find(({ fits }) => fits(key))?.level ?? null;
    },
  };
}

/** Returns the key of a text that only means an access level in a statement on constraints, such as "None". */
function constraintKey(text: string): string {
  return `constraint ${statementKey(text)}`;
}

/**
 * Returns a function that is true for a text like the template. Its `*` stands for any words: "data are available to *
 * only".
 */
function templateMatcher(template: string): (key: string) => boolean {
  const [start = "", end = ""] = template.split("*");
  return (key) => key.length > start.length + end.length && key.startsWith(start) && key.endsWith(end);
}

/** Returns the key of a text: `metadata_only`, `Metadata-only` and `metadata only.` have the same key. */
function statementKey(text: string): string {
  return plainKey(text.replace(/[_-]/g, " ").replace(/\.\s*$/, ""));
}

const RELATION_COUNTS = ["reference", "publication", "data", "code", "derivative", "related", "version"] as const;

type RelationCount = (typeof RELATION_COUNTS)[number];

/** Decides in which counts a relation of DataCite, Zenodo or Dryad belongs. */
interface Relations {
  /**
   * Returns the counts in which a relation belongs; none if the relation is not in the list. A related type that is
   * null or not in the list counts as unknown. Do not change the returned set, because it is shared.
   */
  countsAs(relationType: string, relatedType: string | null): ReadonlySet<RelationCount>;
}

function readRelations(relations: VocabularyTable, relatedTypes: VocabularyTable): Relations {
  const rows = indexRows(relations.rows, (row) => pair(row.text("relation_type"), row.text("related_type")));
  const counts = new Map([...rows].map(([key, row]) => [key, row.wordSet("counts_as", RELATION_COUNTS)]));
  for (const row of rows.values()) requireFallback(row, counts);
  const notStated = counts.get(pair("", "")) ?? new Set<RelationCount>();
  const makeKey = memoise(wordKey);
  const dataciteType = readRelatedTypes(relatedTypes, relations);

  return {
    countsAs(relationType, relatedType) {
      const word = makeKey(relatedType ?? "");
      const type = dataciteType.get(word) ?? word;
      const relation = makeKey(relationType);
      const stated = counts.get(`${relation} ${type}`) ?? counts.get(`${relation} `);
      return stated ?? counts.get(` ${type}`) ?? notStated;
    },
  };
}

function pair(relationType: string, relatedType: string): string {
  return `${wordKey(relationType)} ${wordKey(relatedType)}`;
}

function requireFallback(row: VocabularyRow, counts: ReadonlyMap<string, unknown>): void {
  const relationType = row.text("relation_type");
  if (!counts.has(pair(relationType, "")))
    row.fail(`the relation type "${relationType}" also needs a row with an empty related_type`);
}

function readRelatedTypes(table: VocabularyTable, relations: VocabularyTable): ReadonlyMap<string, string> {
  const known = new Set(relations.rows.map((row) => row.text("related_type")));
  const types = new Map<string, string>();
  for (const [word, row] of indexRows(table.rows, (row) => wordKey(row.filled("text")))) {
    const type = row.filled("related_type");
    if (!known.has(type))
      row.fail(`"${type}" is not in the column related_type of ${relations.file}; use a value of that column`);
    types.set(word, wordKey(type));
  }
  return types;
}

const SCHEMES = ["doi", "pmid", "arxiv", "handle", "url"] as const;

/** A scheme of identifiers that count (rubrics.md). reading/identifiers.ts checks their format. */
export type IdentifierScheme = (typeof SCHEMES)[number];

/** Classifies identifier types of DataCite and Zenodo. */
interface IdentifierTypes {
  /**
   * Returns the scheme of an identifier type, if identifiers of this scheme count; otherwise null. The caller also checks
   * the format of the identifier.
   */
  findScheme(type: string): IdentifierScheme | null;
}

function readIdentifierTypes(table: VocabularyTable): IdentifierTypes {
  const rows = indexRows(table.rows, (row) => wordKey(row.filled("type")));
  const schemes = new Map(
    [...rows].flatMap(([key, row]) => (row.text("scheme") === "" ? [] : [[key, row.word("scheme", SCHEMES)]])),
  );
  return { findScheme: memoise((type) => schemes.get(wordKey(type)) ?? null) };
}
