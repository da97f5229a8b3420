// Countries: ISO 3166-1 codes and names from the package, further names from country-aliases.csv.

import iso from "i18n-iso-countries";
import { withoutSpacedEnd } from "../reading/ends.ts";
import type { Folding } from "./folding.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** Names countries and finds the one an affiliation ends in. Codes are ISO 3166-1 alpha-3. */
export interface Countries {
  /** The country of an affiliation: its last comma-separated segment, when that is exactly a name, an alias or a code. */
  ofAffiliation(text: string): string | null;
  /** The English name of a code; null for an unassigned one. */
  nameOf(alpha3: string): string | null;
  /** Whether the code, in any case, is an assigned alpha-3 code. */
  isAssigned(code: string): boolean;
}

/** Longer texts are no affiliation; trimming them takes time that grows with the square of their length. */
const LONGEST_AFFILIATION = 2000;

/** Reads country-aliases.csv, and country-ambiguous.csv, the codes that mean something else at the end of an address. */
export function readCountries(aliases: VocabularyTable, ambiguous: VocabularyTable, folding: Folding): Countries {
  const keyOf = (name: string): string => folding.foldText(name.replaceAll(".", "")).replace(/^the /, "");
  const names = readNames(aliases, keyOf);
  const codes = readCodes(ambiguous);
  const ofAffiliation = memoise((text) => {
    const segments = withoutSpacedEnd(text, ".;,").split(",");
    const last = segments.at(-1)?.trim() ?? "";
    // A code alone ("PER") is more often an acronym; after a place or an institution it is a country.
    const code = segments.length > 1 ? codes.get(last) : undefined;
    return code ?? names.get(keyOf(last)) ?? null;
  });

  return {
    ofAffiliation: (text) => (text.length <= LONGEST_AFFILIATION ? ofAffiliation(text) : null),
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
