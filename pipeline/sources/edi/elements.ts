/** EML elements read for evidence: any number of each, and text where elements are due is an error. */

import type { EvidenceName } from "../../../schemas/public/evidence.ts";
import { oneOrMany } from "../../reading/one-or-many.ts";
import { asObject, type Json, type Reader } from "../../reading/reader.ts";

/** The elements of EML that describe a file or a table of files. */
export const ENTITIES = ["dataTable", "spatialRaster", "spatialVector", "storedProcedure", "view", "otherEntity"];

/** The elements of that name; a missing one is none, because a document is always whole. */
export function elementsOf(reader: Reader, name: string, columns: readonly EvidenceName[]): Json[] {
  return oneOrMany(reader.raw(name)).flatMap((element) => {
    const object = asObject(element);
    if (object === null) reader.fail(columns);
    return object === null ? [] : [object];
  });
}

/** The elements a path of names leads to, through any number of each. */
export function allAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  return path.reduce<readonly unknown[]>(
    (elements, name) => elements.flatMap((element) => oneOrMany(asObject(element)?.[name])),
    oneOrMany(value),
  );
}
