/** The files and creators that a piece of advice is about, where a payload is at hand: a release keeps counts only. */

import { WITHHELD_NAME } from "../api-static/pages/withheld.ts";
import type { RecordDetail } from "../schemas/public/api/record.ts";

/** More than these are counted. */
const NAMED = 5;
/** Characters of a name that are shown. */
const SHOWN = 60;

/** The record, whose advice on file names says which ones tell a reader nothing. */
export function withSpecifics(record: RecordDetail, plainNames: readonly string[]): RecordDetail {
  const plain = [...new Set(plainNames)];
  if (plain.length === 0) return record;
  return {
    ...record,
    signals: record.signals.map((signal) =>
      signal.state === "absent" && "descriptive_filename_count" in signal.evidence && signal.advice !== null
        ? { ...signal, advice: `${signal.advice} Not yet: ${listed(plain, ", ")}.` }
        : signal,
    ),
  };
}

/**
 * Who among the creators has no ORCID iD, by the names that the record shows; null where nobody lacks one, or where some
 * creators are no people, since a record does not show which.
 */
export function withoutOrcid({ authors, signals }: RecordDetail): string | null {
  const people = signals.map(({ evidence }) => evidence.person_creator_count).find((count) => count !== undefined);
  if (people !== authors.length) return null;
  const names = authors.filter(({ orcid, name }) => orcid === null && name !== WITHHELD_NAME).map(({ name }) => name);
  return names.length === 0 ? null : listed(names, "; ");
}

function listed(names: readonly string[], mark: string): string {
  const shown = names.slice(0, NAMED).map((name) => {
    const points = Array.from(name);
    return points.length > SHOWN ? `${points.slice(0, SHOWN - 1).join("")}…` : name;
  });
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(mark)} and ${more} more` : shown.join(mark);
}
