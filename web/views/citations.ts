/** Citations of a dataset, as text and as BibTeX. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import { datasetName } from "../components/record-rows.ts";

/** Returns the citation: names, year, title, repository and URL, in the order of most styles. */
export function formatCitation(record: RecordDetail): string {
  const { authors, pubDate, repository, doi, url, identifier } = record;
  const names = authors.slice(0, 3).map(({ name }) => name);
  const creators = authors.length > 3 ? [...names, "et al."] : names;
  const link = doi === null ? (url ?? identifier) : doiAddress(doi);
  return [
    creators.join("; "),
    `(${pubDate?.slice(0, 4) ?? "n.d."})`,
    `${datasetName(record)}.`,
    repository === null ? null : `${repository}.`,
    link,
  ]
    .filter((part) => part !== null && part !== "")
    .join(" ");
}

/** Maximum number of creators in BibTeX. If there are more, `and others` stands for the rest. */
const MAX_CREATORS = 50;

/** Returns an entry for BibTeX and BibLaTeX, whose key is the ID of the record. */
export function formatBibtex(record: RecordDetail): string {
  const { id, authors, pubDate, repository, doi, url, version } = record;
  const names = authors.slice(0, MAX_CREATORS).map(({ name }) => bibtexName(name));
  const creators = authors.length > MAX_CREATORS ? [...names, "others"] : names;
  const address = doi === null ? url : doiAddress(doi);
  const fields = {
    author: creators.join(" and "),
    title: `{${bibtexText(datasetName(record))}}`,
    year: pubDate?.slice(0, 4) ?? "",
    publisher: bibtexText(repository ?? ""),
    version: bibtexText(version ?? ""),
    doi: doi === null || /[{}\\]/.test(doi) ? "" : doi,
    url: address?.replace(/[{}\\]/g, encodeURIComponent) ?? "",
  };
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === "" ? [] : [`  ${name} = {${value}},`]));
  return [`@misc{${id},`, ...lines, "}"].join("\n");
}

/** Returns a name for BibTeX. A name that BibTeX would divide wrongly, such as that of an organisation, is in braces. */
function bibtexName(name: string): string {
  return /^[^,]+, [^,]+$/.test(name) && !/\sand\s/i.test(name) ? bibtexText(name) : `{${bibtexText(name)}}`;
}

/**
 * The commands that stand for characters with a meaning in BibTeX. A backslash before the character is not enough,
 * because BibTeX also counts escaped braces.
 */
const COMMANDS: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\textbraceleft{}",
  "}": "\\textbraceright{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};

function bibtexText(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\{}~^$&#%_]/g, (character) => COMMANDS[character] ?? `\\${character}`);
}
