/** Leaves out of an evaluation, or of a record, who asked to be hidden since it was written down. */

import { z } from "zod";
import { WITHHELD_NAME } from "../../../api-static/pages/withheld.ts";
import { idOfOrcid } from "../../../pipeline/identifiers/id-range.ts";
import type { ResearcherIds } from "./researcher-ids.ts";
import type { Standing } from "./standing.ts";

/** What the next release calls a creator who has opted out (decisions.md, "Accounts"). */
const WITHHELD = { id: null, name: WITHHELD_NAME, affiliation: null, slug: null, orcid: null };

type Members = Readonly<Record<string, unknown>>;

const known = z.object({ id: z.string().nullable(), orcid: z.string().nullable() });

/**
 * The same value, but for creators who are hidden: known by the id that their release gave them, or by their ORCID iD. Who
 * was named by name alone cannot be told from others of that name any more. What has no creators comes back as it is.
 */
export function withheldIn(value: unknown, { hidden }: Pick<Standing, "hidden">): unknown {
  if (hidden.size === 0 || !isObject(value)) return value;
  const { evaluation } = value;
  if (!isObject(evaluation) || !isObject(evaluation.record)) return withoutThem(value, hidden);
  return { ...value, evaluation: { ...evaluation, record: withoutThem(evaluation.record, hidden) } };
}

function withoutThem(record: Members, hidden: ResearcherIds): Members {
  if (!Array.isArray(record.authors)) return record;
  return {
    ...record,
    authors: record.authors.map((author: unknown) => (isHidden(author, hidden) ? WITHHELD : author)),
  };
}

function isHidden(author: unknown, hidden: ResearcherIds): boolean {
  const parsed = known.safeParse(author);
  if (!parsed.success) return false;
  const { id, orcid } = parsed.data;
  return (id !== null && hidden.has(id)) || (orcid !== null && hidden.has(idOfOrcid(orcid)));
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}
