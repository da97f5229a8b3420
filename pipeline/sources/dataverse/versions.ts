/** A dataset and its version, in each of the forms in which Dataverse gives or takes them. */

import { asObject, asText, at, type Json } from "../../reading/reader.ts";

export interface DatasetVersion {
  /** The object around the version; the version itself if there is none. */
  readonly dataset: Json;
  readonly version: Json;
}

/**
 * Returns the versions in a payload, newest first, or none if it is of something else. A dataset has its version as
 * `latestVersion` (native API) or `datasetVersion` (the export `dataverse_json`, and the JSON of a deposit). A version
 * also comes alone (`/versions/:latest`), or in the list of all of them (`/versions`).
 */
export function versionsIn(payload: unknown): readonly DatasetVersion[] {
  const data = at(payload, "data") ?? payload;
  if (Array.isArray(data)) {
    const versions = data.filter(isVersion);
    return versions.length < data.length ? [] : versions.map((version) => ({ dataset: version, version }));
  }
  const dataset = asObject(data);
  if (dataset === null) return [];
  const version = asObject(dataset.latestVersion) ?? asObject(dataset.datasetVersion);
  if (version !== null) return [{ dataset, version }];
  return isVersion(dataset) ? [{ dataset, version: dataset }] : [];
}

/** An answer may leave the metadata blocks out (`excludeMetadataBlocks`); an item of a search has its state alone. */
function isVersion(value: unknown): value is Json {
  if (asObject(at(value, "metadataBlocks")) !== null) return true;
  return asText(at(value, "versionState")) !== null && asText(at(value, "datasetId")) !== null;
}
