/** Columns of each list as Arrow has them. */

import { routeNamed } from "../../api-static/routes/index.ts";
import { type ArrowColumn, arrowColumns } from "../../schemas/public/api/arrow-columns.ts";
import { blocks, code, codes, table } from "./markdown.ts";

const LISTS = ["records", "authors", "institutions", "geography", "release-changes"] as const;

/** A table for each list. */
export async function arrow(): Promise<string> {
  return blocks(...LISTS.flatMap((name) => [`### ${routeNamed(name).path}`, ofList(name)]));
}

function ofList(name: (typeof LISTS)[number]): string {
  const rows = arrowColumns(routeNamed(name).answer).flatMap(rowsOf);
  return table(["column", "type", "null", "states"], rows);
}

/** Of members that are all alike, such as those of a distribution, one row. */
function rowsOf({ path, nullable, meaning, of }: ArrowColumn): string[][] {
  const own = (type: string) => [code(path), type, nullable ? "yes" : "", meaning];
  if (of.kind === "words") return [own(`dictionary of utf8: ${codes(of.words)}`)];
  if (of.kind !== "struct") return [own(of.kind)];
  const { members } = of;
  const [first] = members;
  const alike = members.every((each) => each.of.kind === first?.of.kind && each.meaning === "");
  if (first === undefined || !alike || first.of.kind === "struct" || members.length < 5)
    return [own("struct"), ...members.flatMap(rowsOf)];
  return [
    own(
      `struct of ${first.of.kind}${first.nullable ? ", each may be null" : ""}: ${codes(members.map(({ name }) => name))}`,
    ),
  ];
}
