/** Members of a record's page that are columns as they are, under the names they have there. */

import type { ValueOf } from "../../schemas/public/column-type.ts";
import { type PagePart, type ShownColumn, shownIn } from "../../schemas/public/record-columns.ts";

type Columns<Column extends ShownColumn<PagePart>> = { readonly [C in Column as C["name"]]: ValueOf<C["type"]> | null };
type Members<Column extends ShownColumn<PagePart>> = {
  readonly [C in Column as C["shown"]["as"]]: ValueOf<C["type"]> | null;
};

/** The members of a part of the page, in the order of the columns. */
export function shownMembers<Part extends PagePart>(
  part: Part,
  row: Columns<ShownColumn<Part>>,
): Members<ShownColumn<Part>> {
  const cells: Readonly<Record<string, string | number | boolean | null>> = row;
  const members: Record<string, string | number | boolean | null> = {};
  for (const { name, shown } of shownIn(part)) members[shown.as] = cells[name] ?? null;
  return members as Members<ShownColumn<Part>>;
}
