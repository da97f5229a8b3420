// Statements that say an access level and nothing else. A licence is not one.
import { addressKey, plainKey } from "./keys.ts";
import { memoise } from "./memoise.ts";
import { indexRows, type VocabularyTable } from "./read-table.ts";

const LEVELS = ["open", "embargoed", "restricted", "closed", "metadata_only"] as const;

const MATCHES = ["exact", "url", "constraint"] as const;

/** No statement of a level alone is as long as this. */
const LONGEST_STATEMENT = 200;

/** How far the data of a record may be reached. */
export type AccessLevel = (typeof LEVELS)[number];

/** Reads access levels out of statements. */
export interface AccessLevels {
  /** The level a word, an `info:eu-repo` term or a COAR address states; null where the text is anything else. */
  levelOf(text: string): AccessLevel | null;
  /** The same for a statement of constraints on access, where "None" is open. */
  levelOfConstraints(text: string): AccessLevel | null;
}

/** Reads access-levels.csv. */
export function readAccessLevels(table: VocabularyTable): AccessLevels {
  const keyOf = { exact: statementKey, url: addressKey, constraint: constraintKey };
  const rows = indexRows(table.rows, (row) => keyOf[row.word("match", MATCHES)](row.filled("text")));
  const levels = new Map([...rows].map(([key, row]) => [key, row.word("level", LEVELS)]));
  const templates = [...levels]
    .filter(([key]) => key.includes("*"))
    .map(([key, level]) => ({ level, fits: fitter(key) }));
  const levelOf = memoise((text) => levels.get(statementKey(text)) ?? levels.get(addressKey(text)) ?? null);
  return {
    levelOf: (text) => (text.length > LONGEST_STATEMENT ? null : levelOf(text)),
    levelOfConstraints(text) {
      if (text.length > LONGEST_STATEMENT) return null;
      const key = constraintKey(text);
      return levels.get(key) ?? levelOf(text) ?? templates.find(({ fits }) => fits(key))?.level ?? null;
    },
  };
}

/** Words that say a level only where they answer which constraints there are. */
function constraintKey(text: string): string {
  return `constraint ${statementKey(text)}`;
}

/** `*` stands for any words: "data are available to * only". */
function fitter(template: string): (key: string) => boolean {
  const [start = "", end = ""] = template.split("*");
  return (key) => key.length > start.length + end.length && key.startsWith(start) && key.endsWith(end);
}

/** `metadata_only`, `Metadata-only` and `metadata only.` are one statement. */
function statementKey(text: string): string {
  return plainKey(text.replace(/[_-]/g, " ").replace(/\.\s*$/, ""));
}
