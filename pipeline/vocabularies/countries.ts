// Countries: ISO 3166-1 codes and names from the package, further names and regions from three tables.
import iso from "i18n-iso-countries";
import type { Regions } from "./country-regions.ts";
import type { Folding } from "./folding.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** Names countries and finds the one an affiliation ends in. Codes are ISO 3166-1 alpha-3. */
export interface Countries {
  /** The country an affiliation ends in, and what says so; null where nothing does without guessing. */
  ofAffiliation(text: string): { readonly alpha3: string; readonly basis: "text" | "region" } | null;
  /** The country a field for it states: exactly a name, an alias or a code. */
  ofStatement(text: string): string | null;
  /** The English name of a code; null for an unassigned one. */
  nameOf(alpha3: string): string | null;
  /** Whether the code, in any case, is an assigned alpha-3 code. */
  isAssigned(code: string): boolean;
}

/** Longer texts are no affiliation; trimming them takes time that grows with the square of their length. */
const LONGEST_AFFILIATION = 2000;

/** What may stand behind the country: stops, and the label of an address that was taken away. */
const BEHIND = /(?:[\s.;,:([]|\b(?:electronic address|e-?mail)\b[\s.:]*$)+$/i;
/** The last words in brackets, behind a dash, or behind a sentence: what ends in a long word or a vowel is no abbreviation ("Univ."). */
const ENDINGS = [
  /\(([^()]+)\)\s*$/u,
  /\s[-–—]\s+([^-–—]+)$/u,
  /\s\S+\s+\S*(?:[\p{L}\p{N}]{6}|\p{L}{3}[aeiouy])\.\s+([^.]+)$/u,
];
/** Words of a postal code before or behind a country: "Japan 113-0033", "D-53113 Germany". */
const POSTAL = /^(?:[A-Z]{0,3}-?\d[\dA-Z-]*\s+)+|(?:\s+[A-Z]{0,3}-?\d[\dA-Z-]*)+$/g;

/**
 * Reads country-aliases.csv, and country-ambiguous.csv, the codes that mean something else at the end of an address.
 *
 * The country of an affiliation is its last segment, by commas or semicolons, where that is exactly a name, an alias or
 * a code, a postal code beside it set aside; else where that is a state or province which tells it; else the last words
 * in brackets or behind a dash or a sentence, where they are exactly a country's name. Nothing else is read.
 */
export function readCountries(
  aliases: VocabularyTable,
  ambiguous: VocabularyTable,
  regions: Regions,
  folding: Folding,
): Countries {
  const keyOf = (name: string): string => folding.foldText(name.replaceAll(".", "")).replace(/^the /, "");
  const names = readNames(aliases, keyOf);
  const codes = readCodes(ambiguous);
  const ofAffiliation = memoise((text) => {
    const address = text.replace(BEHIND, "");
    const segments = address.split(/[,;]/);
    const last = segments.at(-1)?.trim() ?? "";
    const isBehind = segments.length > 1;
    // Before postal codes are set aside: "Athens, Georgia 30602" is in the state.
    const region = isBehind ? regions.countryOf(last) : null;
    if (region !== null) return { alpha3: region, basis: "region" } as const;
    // A code alone ("PER") is more often an acronym; after a place or an institution it is a country.
    const bare = last.replace(POSTAL, "");
    const alpha3 = (isBehind ? codes.get(bare) : undefined) ?? names.get(keyOf(bare)) ?? named(address);
    return alpha3 === null ? null : ({ alpha3, basis: "text" } as const);
  });
  const named = (address: string): string | null => {
    const ends = ENDINGS.map((ending) => names.get(keyOf(ending.exec(address)?.[1] ?? "")));
    // A name that is a region's as well tells nothing there.
    return ends.find((alpha3) => alpha3 !== undefined && alpha3 !== "GEO") ?? null;
  };

  return {
    ofAffiliation: (text) => (text.length <= LONGEST_AFFILIATION ? ofAffiliation(text) : null),
    ofStatement: (text) => codes.get(text) ?? names.get(keyOf(text)) ?? null,
    nameOf: (alpha3) => iso.getName(alpha3.toUpperCase(), "en") ?? null,
    isAssigned: (code) => isAlpha3(code.toUpperCase()),
  };
}

function isAlpha3(code: string): boolean {
  return Object.hasOwn(iso.getAlpha3Codes(), code);
}

function readNames(table: VocabularyTable, keyOf: (name: string) => string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [alpha2, listed] of Object.entries(iso.getNames("en", { select: "all" }))) {
    const alpha3 = iso.alpha2ToAlpha3(alpha2) ?? "";
    for (const name of new Set(listed.map(keyOf))) {
      // '' marks a name that two countries share, as Congo is in the package.
      names.set(name, names.has(name) ? "" : alpha3);
    }
  }
  for (const [key, row] of indexRows(table.rows, (row) => keyOf(row.filled("alias")))) {
    const alpha3 = row.filled("alpha3");
    if (!isAlpha3(alpha3)) row.fail(`"${alpha3}" is no ISO 3166-1 alpha-3 code`);
    names.set(key, alpha3);
  }
  return new Map([...names].filter(([key, alpha3]) => key !== "" && alpha3 !== ""));
}

/** Both kinds of code, in capitals as ISO writes them: "Mar" and "me" are words. */
function readCodes(ambiguous: VocabularyTable): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  for (const [alpha2, alpha3] of Object.entries(iso.getAlpha2Codes())) codes.set(alpha2, alpha3).set(alpha3, alpha3);
  for (const [code, row] of indexRows(ambiguous.rows, (row) => row.filled("code"))) {
    if (!codes.delete(code)) row.fail(`"${code}" is no ISO 3166-1 code`);
  }
  return codes;
}
