// States and provinces that tell a country where an address ends in them: of the USA, Canada and Australia.
import type { Folding } from "./folding.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

/** Tells the country of a state or province. */
export interface Regions {
  /** The country (alpha-3) of the last part of an address: "Colorado", "TX", "CO 80309", "Ontario M5S 1A1"; else null. */
  countryOf(part: string): string | null;
}

const ALONE = ["both", "name", "code", "none"] as const;

/** The postal codes that may stand behind a region, by country. */
const POSTAL_CODES: Readonly<Record<string, RegExp>> = {
  USA: /\s\d{5}(?:-\d{4})?$/,
  CAN: /\s[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d$/i,
  AUS: /\s\d{4}$/,
};

/**
 * Reads country-regions.csv. `alone` says which of name and code need no postal code behind them; a code that is also a
 * country's, or other regions' in common use, does (CA, WA), and so does a name that is (Georgia).
 */
export function readRegions(table: VocabularyTable, folding: Folding): Regions {
  const rows = [...indexRows(table.rows, (row) => folding.foldText(row.filled("name"))).values()].map((row) => ({
    name: folding.foldText(row.filled("name")),
    code: row.filled("code"),
    alpha3: row.filled("alpha3"),
    alone: row.word("alone", ALONE),
    postal: POSTAL_CODES[row.filled("alpha3")] ?? row.fail("no postal code is known of this country"),
  }));
  const names = new Map(rows.map((row) => [row.name, row]));
  const countryOfCode = (code: string) => rows.filter((row) => row.code === code);
  return {
    countryOf(part) {
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
