/** The parts of a stored Dryad payload, and the three ages of its answers. */

import { asList, asObject, at, type Json } from "../../reading/reader.ts";

export interface DryadAnswer {
  /** The answer of `/datasets/{doi}`. */
  readonly dataset: Json | null;
  /** The pages of `/versions/{id}/files`; null where they were not asked for. */
  readonly files: readonly unknown[] | null;
  /** Answers of 2019 had no licence, visibility, journal or date of modification. */
  readonly hasRights: boolean;
  /** Answers since about 2022 have room for a field of science and a statement on human subjects. */
  readonly hasSubjects: boolean;
}

/** A bare answer, or the harvester's `{"dataset": …, "files": …}`, where `files` is one page or the list of them. */
export function dryadAnswer(payload: unknown): DryadAnswer {
  const combined = asObject(at(payload, "dataset"));
  const dataset = combined ?? asObject(payload);
  const files = combined === null ? undefined : at(payload, "files");
  const has = (key: string) => dataset !== null && Object.hasOwn(dataset, key);
  return {
    dataset,
    files: files === undefined || files === null ? null : Array.isArray(files) ? asList(files) : [files],
    hasRights: has("storageSize") || has("license") || has("visibility"),
    hasSubjects: has("versionChanges") || has("fieldOfScience") || has("hsiStatement"),
  };
}
