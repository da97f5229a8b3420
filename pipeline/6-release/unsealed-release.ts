/** A release as it is while stage 6 writes it: everything but its manifest, its receipt and what is told about it. */

import type { Gate, GateLimits } from "../../schemas/public/gates.ts";
import type { ManifestLine, Receipt } from "../../schemas/public/release.ts";
import type { TablePaths } from "../pages/tables.ts";

export interface UnsealedRelease {
  /** The folder that becomes the release. */
  readonly tree: string;
  readonly tables: TablePaths;
  /** Folder for what does not fit in memory. */
  readonly spill: string;
  /** What the receipt will say, but for what only the finished files give. */
  readonly receipt: Omit<Receipt, "manifestDigest" | "signature" | "gates" | "gateLimits" | "forced">;
  /** Lines of the manifest of the tables. */
  readonly data: readonly ManifestLine[];
  /** Line of the manifest of a finished file of the tree. */
  readonly lineOf: (path: string) => Promise<ManifestLine>;
}

/** What was added to the tree, and how the release stands the gates before activation. */
export interface Described {
  readonly lines: readonly ManifestLine[];
  readonly gates: readonly Gate[];
  /** The bounds of those gates. */
  readonly limits?: GateLimits;
}

/** Adds to a release what is told about it. */
export type Describe = (unsealed: UnsealedRelease) => Promise<Described>;
