/** Words that begin like the last one that somebody is typing, the most frequent in a list first. */

import { queryWords } from "../../../pipeline/reading/search-terms.ts";
import { loadVocabularies } from "../../../pipeline/vocabularies/index.ts";
import { TABLES } from "./lists.ts";
import type { SearchedList } from "./prepare-search.ts";
import type { Prepared } from "./prepared.ts";

/** After the greatest character in the order of UTF-8: the end of all texts that begin alike. */
const END = "\u{10ffff}";

const MOST = 3;

/** Whole texts to search for: what was typed as it is, where its last word is one, and with that word completed. */
export async function completions(
  prepared: Pick<Prepared, "rows">,
  list: SearchedList,
  typed: string,
): Promise<string[]> {
  const { names } = await loadVocabularies();
  const words = queryWords(typed, names);
  const last = words.at(-1);
  // Of what is written without spaces, any part is found as it is.
  if (last === undefined || last.inside !== null) return [typed];
  const [start = ""] = last.terms;
  const rows = await prepared.rows(
    `select term from ${TABLES.terms(list)} where term >= $start and term < $stop
     order by term = $start desc, frequency desc, term limit ${MOST}`,
    { start, stop: start + END },
  );
  const before = words.slice(0, -1).flatMap(({ terms }) => terms);
  return rows.map(([term]) => [...before, String(term)].join(" "));
}
