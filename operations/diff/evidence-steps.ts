/** Evidence between two releases: the old with one part of the new after the other, made from the list of columns. */

import { EVIDENCE, type EvidenceName, evidenceBit } from "../../schemas/public/evidence.ts";

/**
 * `create table evidence`: rows as scoring reads them, ids `<step>:<id>`, of everything in `moved_pair`.
 * Step 1 has the new values of columns that only one of the two carries, but for use that is observed for the first time; step 2 all use;
 * step 3 all new values but that of an embargo whose end has passed; steps 4 and 5 all. Where another source speaks, all
 * of it comes with step 1. The old rules judge steps 1 to 4 (`before:<source>`), the new pledges step 5
 * (`after:<source>`). Step 0 and 6 are the releases' own scores.
 */
export function evidenceStepsSql(before: string, after: string): string {
  const passed = { before, after };
  return [
    "create table evidence as",
    stepSql(1, "before", valueWhere(isCarriedAnew), errorsWhere(isCarriedAnew)),
    "union all",
    stepSql(2, "before", valueWhere(isCarriedOrUse), errorsWhere(isCarriedOrUse)),
    "union all",
    stepSql(3, "before", (name) => (name === "embargo_active" ? embargo(passed) : `a."${name}"`), "a.evidence_errors"),
    "union all",
    stepSql(4, "before", (name) => `a."${name}"`, "a.evidence_errors"),
    "union all",
    stepSql(5, "after", (name) => `a."${name}"`, "a.evidence_errors"),
  ].join("\n");
}

function stepSql(
  step: number,
  rules: "before" | "after",
  value: (name: EvidenceName) => string,
  errors: string,
): string {
  const columns = EVIDENCE.map(({ name }) => `  ${value(name)} as "${name}"`);
  return [
    `select '${step}:' || moved_pair.id as id, '${rules}:' || moved_pair.source as source,`,
    [...columns, `  ${errors} as evidence_errors`].join(",\n"),
    "from moved_pair",
    "join before_evidence as b on b.id = moved_pair.before_id",
    "join after_evidence as a on a.id = moved_pair.id",
  ].join("\n");
}

/** What others did with a dataset since: a first citation is no change of what the source carries, nor of its description. */
const OBSERVED_USE: ReadonlySet<EvidenceName> = new Set([
  "view_count",
  "download_count",
  "citation_count",
  "derivative_count",
  "mention_count",
]);

const SOURCE_MOVED = "moved_pair.source <> moved_pair.before_source";

/** Whether a step takes the new value of a column, as a condition. */
type Taken = (name: EvidenceName) => string;

/** Step 1: another source, or a column that only one of the two carries; of use, one that is no longer carried. */
const isCarriedAnew: Taken = (name) => {
  const [after, before] = [carried("a", name), carried("b", name)];
  return `(${SOURCE_MOVED} or ${OBSERVED_USE.has(name) ? `(${before} and not ${after})` : `${after} <> ${before}`})`;
};

/** Step 2: observed use as well. */
const isCarriedOrUse: Taken = (name) => (OBSERVED_USE.has(name) ? "true" : isCarriedAnew(name));

function valueWhere(taken: Taken): (name: EvidenceName) => string {
  return (name) => `case when ${taken(name)} then a."${name}" else b."${name}" end`;
}

/** A value that could not be read was carried. */
function carried(side: "a" | "b", name: EvidenceName): string {
  return `(${side}."${name}" is not null or ${side}.evidence_errors & ${evidenceBit(name)} <> 0)`;
}

function errorsWhere(taken: Taken): string {
  const bits = EVIDENCE.map(
    ({ name }) =>
      `case when ${taken(name)} then a.evidence_errors & ${evidenceBit(name)} else b.evidence_errors & ${evidenceBit(name)} end`,
  );
  return bits.join(" + ");
}

/**
 * The new value, unless time alone explains it: it moved the way the as-of dates did (ended by the later day, or not yet
 * ended by the earlier), while what is said of access stayed as it was. Then the old one, until step 3.
 */
function embargo({ before, after }: { readonly before: string; readonly after: string }): string {
  if (before === after) return "a.embargo_active";
  const [running, ended] = before < after ? ["b", "a"] : ["a", "b"];
  const byTime = [
    "moved_pair.source = moved_pair.before_source",
    `${running}.embargo_active and not ${ended}.embargo_active`,
    "a.access_declared is not distinct from b.access_declared",
    "a.access_open is not distinct from b.access_open",
  ];
  return `case when ${byTime.join(" and ")} then b.embargo_active else a.embargo_active end`;
}
