/** Members of a record's page that are columns as they are: their schemas, from the one list of columns. */

import { z } from "zod";
import type { ValueOf } from "../column-type.ts";
import { type PagePart, type ShownColumn, shownIn } from "../record-columns.ts";

type Shown<Column extends ShownColumn<PagePart>> = {
  [C in Column as C["shown"]["as"]]: z.ZodNullable<z.ZodType<ValueOf<C["type"]>>>;
};

const TYPES = { text: z.string(), int: z.int(), bool: z.boolean() } as const;

/** The members of a part of the page, by their names there; any may be null. */
export function shownColumns<Part extends PagePart>(part: Part): Shown<ShownColumn<Part>> {
  const members = shownIn(part).map(({ shown, type, meaning }) => [
    shown.as,
    TYPES[type].nullable().describe(`${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}.`),
  ]);
  return Object.fromEntries(members) as Shown<ShownColumn<Part>>;
}
