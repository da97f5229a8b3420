/**
 * Finds countries in texts. ISO 3166-1 codes and names come from a package, further names and regions from three tables.
 */

import iso from "i18n-iso-countries/index.js";
import english from "i18n-iso-countries/langs/en.json" with { type: "json" };
import type { Folding } from "./folding.ts";
import { indexRows, memoise, type VocabularyTable } from "./read-table.ts";

// The main module of the package loads the names in eighty languages, and in a browser in none.
iso.registerLocale(english);

/** Returns names of countries, and finds the country of an affiliation. Codes are ISO 3166-1 alpha-3. */
export interface Countries {
  /**
   * Returns the country at the end of an affiliation, and whether the text names the country or only a state or
   * province (`region`). Returns null if the country is not certain.
   */
  ofAffiliation(text: string): { readonly alpha3: string; readonly basis: "text" | "region" } | null;
  /**
   * Returns the country of a field that only contains a country: a name, an alias or a code. Returns null for other text.
   */
  ofStatement(text: string): string | null;
  /** English names of all countries. */
  readonly names: readonly string[];
  /** Returns the English name of an alpha-3 code; null if the code is not assigned. */
  findName(alpha3: string): string | null;
  /** True if the code is an assigned alpha-3 code, in upper or lower case. */
  isAssigned(code: string): boolean;
}

/** Longest affiliation in characters. The time for trimming grows with the square of the length. */
const MAX_AFFILIATION_LENGTH = 2000;

/** Matches text that may follow the country: punctuation, or the words before an email address that was removed. */
const BEHIND = /(?:[\s.;,:([]|\b(?:electronic address|e-?mail)\b[\s.:]*$)+$/i;
/**
 * Matches the last words of a text if they are in brackets, after a dash, or after a sentence. The full stop of a
 * sentence must follow a long word or one that ends in a vowel, so that abbreviations such as "Univ." do not match.
 */
const ENDINGS = [
  /\(([^()]+)\)\s*$/u,
  /\s[-–—]\s+([^-–—]+)$/u,
  /\s\S+\s+\S*(?:[\p{L}\p{N}]{6}|\p{L}{3}[aeiouy])\.\s+([^.]+)$/u,
];
/** Matches postal codes before or after a country: "Japan 113-0033", "D-53113 Germany". */
const POSTAL = /^(?:[A-Z]{0,3}-?\d[\dA-Z-]*\s+)+|(?:\s+[A-Z]{0,3}-?\d[\dA-Z-]*)+$/g;

/**
 * Reads country-aliases.csv, and country-ambiguous.csv with codes that have another meaning at the end of an address.
 * The country of an affiliation is found in up to three steps. First, the segment after the last comma or semicolon can
 * be a state or province, which implies the country. Second, this segment without a postal code can be exactly a name,
 * an alias or a code of a country; a text without comma or semicolon can only be a name or an alias. Third, the last
 * words in brackets, after a dash or after a sentence can be exactly the name of a country.
 */
export function readCountries(
  aliases: VocabularyTable,
  ambiguous: VocabularyTable,
  regions: Regions,
  folding: Folding,
): Countries {
  const makeKey = (name: string): string => folding.foldText(name.replaceAll(".", "")).replace(/^the /, "");
  const names = readNames(aliases, makeKey);
  const codes = readCodes(ambiguous);
  const ofAffiliation = memoise((text) => {
    const address = text.replace(BEHIND, "");
    const segments = address.split(/[,;]/);
    const last = segments.at(-1)?.trim() ?? "";
    const isBehind = segments.length > 1;
    // This comes before postal codes are removed: "Athens, Georgia 30602" is in the US state.
    const region = isBehind ? regions.findCountry(last) : null;
    if (region !== null) return { alpha3: region, basis: "region" } as const;
    // A single code ("PER") is usually an acronym. After a place or an institution, it means a country.
    const bare = last.replace(POSTAL, "");
    const alpha3 = (isBehind ? codes.get(bare) : undefined) ?? names.get(makeKey(bare)) ?? named(address);
    return alpha3 === null ? null : ({ alpha3, basis: "text" } as const);
  });
  const named = (address: string): string | null => {
    const ends = ENDINGS.map((ending) => names.get(makeKey(ending.exec(address)?.[1] ?? "")));
    // A name that a region also has is ambiguous.
    return ends.find((alpha3) => alpha3 !== undefined && alpha3 !== "GEO") ?? null;
  };

  return {
    ofAffiliation: (text) => (text.length <= MAX_AFFILIATION_LENGTH ? ofAffiliation(text) : null),
    ofStatement: (text) => codes.get(text) ?? names.get(makeKey(text)) ?? null,
    names: Object.values(iso.getNames("en")),
    findName: (alpha3) => iso.getName(alpha3.toUpperCase(), "en") ?? null,
    isAssigned: (code) => isAlpha3(code.toUpperCase()),
  };
}

function isAlpha3(code: string): boolean {
  return Object.hasOwn(iso.getAlpha3Codes(), code);
}

function readNames(table: VocabularyTable, makeKey: (name: string) => string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [alpha2, listed] of Object.entries(iso.getNames("en", { select: "all" }))) {
    const alpha3 = iso.alpha2ToAlpha3(alpha2) ?? "";
    for (const name of new Set(listed.map(makeKey))) {
      // '' marks a name of two countries, such as Congo.
      names.set(name, names.has(name) ? "" : alpha3);
    }
  }
  for (const [key, row] of indexRows(table.rows, (row) => makeKey(row.filled("alias")))) {
    const alpha3 = row.filled("alpha3");
    if (!isAlpha3(alpha3)) row.fail(`"${alpha3}" is not an ISO 3166-1 alpha-3 code, such as DEU`);
    names.set(key, alpha3);
  }
  return new Map([...names].filter(([key, alpha3]) => key !== "" && alpha3 !== ""));
}

/** Returns the alpha-2 and alpha-3 codes. They only count in capitals, because "Mar" and "me" are words. */
function readCodes(ambiguous: VocabularyTable): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  for (const [alpha2, alpha3] of Object.entries(iso.getAlpha2Codes())) codes.set(alpha2, alpha3).set(alpha3, alpha3);
  for (const [code, row] of indexRows(ambiguous.rows, (row) => row.filled("code"))) {
    if (!codes.delete(code)) row.fail(`"${code}" is not an ISO 3166-1 code, such as DE or DEU`);
  }
  return codes;
}

/** Finds the country of a state or province. */
interface Regions {
  /**
   * Returns the country (alpha-3) of the state or province in the last part of an address, such as "Colorado", "TX", "CO
   * 80309" or "Ontario M5S 1A1". Returns null for other text.
   */
  findCountry(part: string): string | null;
}

const ALONE = ["both", "name", "code", "none"] as const;

/** Matches postal codes that may follow a state or province, by country. */
const POSTAL_CODES: Readonly<Record<string, RegExp>> = {
  USA: /\s\d{5}(?:-\d{4})?$/,
  CAN: /\s[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d$/i,
  AUS: /\s\d{4}$/,
};

/**
 * Reads country-regions.csv. The column `alone` shows whether a name or code counts without a postal code. Other names
 * and codes need a postal code, because they also mean a country or another region (CA, WA, Georgia).
 */
export function readRegions(table: VocabularyTable, folding: Folding): Regions {
  const rows = [...indexRows(table.rows, (row) => folding.foldText(row.filled("name"))).values()].map((row) => ({
    name: folding.foldText(row.filled("name")),
    code: row.filled("code"),
    alpha3: row.filled("alpha3"),
    alone: row.word("alone", ALONE),
    postal:
      POSTAL_CODES[row.filled("alpha3")] ??
      row.fail("the program knows no postal codes of this country; add a pattern to POSTAL_CODES in countries.ts"),
  }));
  const names = new Map(rows.map((row) => [row.name, row]));
  const countryOfCode = (code: string) => rows.filter((row) => row.code === code);
  return {
    findCountry(part) {
      const named = names.get(folding.foldText(part));
      if (named !== undefined && (named.alone === "both" || named.alone === "name")) return named.alpha3;
      const coded = countryOfCode(part).find(({ alone }) => alone === "both" || alone === "code");
      if (coded !== undefined) return coded.alpha3;
      return rows.find((row) => isBeforePostalCode(part, row, folding))?.alpha3 ?? null;
    },
  };
}

interface Region {
  readonly name: string;
  readonly code: string;
  readonly postal: RegExp;
}

function isBeforePostalCode(part: string, { name, code, postal }: Region, folding: Folding): boolean {
  if (!postal.test(part)) return false;
  const before = part.replace(postal, "").trim();
  return before === code || folding.foldText(before) === name;
}
