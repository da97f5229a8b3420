/** Faults of a list's parameters that only several of them, or the rows of the list, tell. */

import type { Route } from "../../../api-static/routes/route.ts";
import { nearest } from "../../../pipeline/reading/identifiers.ts";
import { MOST_NAMED } from "../../../schemas/public/api/queries.ts";
import { rowMembers } from "../../../schemas/public/api/row-members.ts";

interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Longer names are cut where they are shown. */
const LONGEST_SHOWN = 60;

/** Fields that are shown at once. */
const MOST_SHOWN = 20;

/** `values`: known parameters as they were given. Empty for what is no list with cursors and fields. */
export function listFaults(
  { list, answer }: Pick<Route, "list" | "answer">,
  values: ReadonlyMap<string, string>,
): readonly Fault[] {
  if (!list) return [];
  const twoPlaces = values.has("cursor") && values.has("page");
  const fields = values.get("fields");
  return [
    ...(twoPlaces ? [{ path: "page", message: "cannot be given beside cursor, which says where to go on" }] : []),
    ...(fields === undefined ? [] : unknownFields(answer, fields.split(","))),
  ];
}

function unknownFields(answer: Route["answer"], asked: readonly string[]): Fault[] {
  if (asked.length > MOST_NAMED) return [{ path: "fields", message: `must name at most ${MOST_NAMED} fields` }];
  const known = rowMembers(answer).map(({ path }) => path);
  const unknown = [...new Set(asked)].filter((name) => !known.includes(name));
  return unknown.slice(0, MOST_SHOWN).map((name) => {
    const shown = name.slice(0, LONGEST_SHOWN);
    const meant = nearest(shown, known);
    return { path: "fields", message: `${JSON.stringify(shown)} is no field of these rows; the nearest is ${meant}` };
  });
}
