/** The files, works and people that a piece of advice is about, where a payload is at hand: a release keeps counts only. */

import { WITHHELD_NAME } from "../api-static/pages/withheld.ts";
import { safeText } from "../pipeline/reading/text.ts";
import type { RecordDetail } from "../schemas/public/api/record.ts";
import type { EvidenceName } from "../schemas/public/evidence.ts";

/** More than these are counted. */
const NAMED = 5;
/** Characters of a name that are shown. */
const SHOWN = 60;

const WITHOUT_ONE = "Without one";
const NAMING_PEOPLE = ` ${WITHOUT_ONE}: `;

/** What of a payload fell short, in its own words and order. */
export interface FallingShort {
  /** File names that tell a reader nothing. */
  readonly plainNames: readonly string[];
  /** Works referred to without an identifier. */
  readonly unidentifiedWorks: readonly string[];
}

/** The record, whose advice on file names and references says which ones it means. */
export function withSpecifics(record: RecordDetail, { plainNames, unidentifiedWorks }: FallingShort): RecordDetail {
  const files = naming(record, "descriptive_filename_count", "Not yet", plainNames, ", ");
  return naming(files, "reference_pid_count", WITHOUT_ONE, unidentifiedWorks, "; ");
}

/**
 * The record, whose advice on iDs says which people have none, by the names that it shows: `people` says of each of its
 * creators whether they are one. Unchanged where that cannot be told, since an ISNI is counted and not shown.
 */
export function withPeopleNamed(record: RecordDetail, people: readonly boolean[]): RecordDetail {
  const { person_creator_count: persons, creator_pid_count: identified } = evidenceOf(record, "person_creator_count");
  const without = record.authors.filter(({ orcid }, i) => people[i] === true && orcid === null);
  const withheld = record.authors.filter(({ name }, i) => people[i] === true && name === WITHHELD_NAME);
  const known = people.filter((person) => person).length === persons;
  if (!known || withheld.length > 0 || without.length !== Number(persons) - Number(identified)) return record;
  const names = without.map(({ name }) => name);
  return naming(record, "creator_pid_count", WITHOUT_ONE, names, "; ");
}

/** The record as it was before people were named. */
export function withoutPeopleNamed(record: RecordDetail): RecordDetail {
  const signals = record.signals.map((signal) => {
    const [advice = null] = "creator_pid_count" in signal.evidence ? (signal.advice?.split(NAMING_PEOPLE) ?? []) : [];
    return advice === null ? signal : { ...signal, advice };
  });
  return { ...record, signals };
}

function evidenceOf({ signals }: RecordDetail, column: EvidenceName) {
  return signals.find(({ evidence }) => column in evidence)?.evidence ?? {};
}

/** Says it once, with the first signal that is absent for want of such. */
function naming(
  record: RecordDetail,
  column: EvidenceName,
  words: string,
  found: readonly string[],
  mark: string,
): RecordDetail {
  // Read from the payload as it is: what rows show has been made safe, and these never were in one.
  const names = [...new Set(found.map((name) => safeText(name)).filter((name) => name !== ""))];
  const first = record.signals.find(
    ({ state, evidence, advice }) => state === "absent" && column in evidence && advice !== null,
  );
  if (names.length === 0 || first === undefined) return record;
  const advice = `${first.advice} ${words}: ${listed(names, mark)}.`;
  return { ...record, signals: record.signals.map((signal) => (signal === first ? { ...signal, advice } : signal)) };
}

function listed(names: readonly string[], mark: string): string {
  const shown = names.slice(0, NAMED).map((name) => {
    const points = Array.from(name);
    return points.length > SHOWN ? `${points.slice(0, SHOWN - 1).join("")}…` : name;
  });
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(mark)} and ${more} more` : shown.join(mark);
}
