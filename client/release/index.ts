/** The entry `share-release-client/release`: published releases without a server. */

export { ReleaseFault } from "./files.ts";
export { openRelease, type ReleaseOptions } from "./open-release.ts";
export type { PublishedRelease, VersionOptions } from "./published-release.ts";
export type { ReleaseKey } from "./signature.ts";
