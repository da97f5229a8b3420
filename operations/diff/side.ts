/** One of the two releases of a diff. */

import { releaseTablePaths, type TablePaths } from "../../pipeline/pages/tables.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { type Rules, rulesOf } from "./rules.ts";

/** The part of a receipt that a diff reads: a release that is being made has these as well. */
export type SideReceipt = Pick<
  Receipt,
  "scoreReleaseVersion" | "releaseDigest" | "asOf" | "rubrics" | "sources" | "tool" | "content"
>;

export interface Side {
  readonly receipt: SideReceipt;
  readonly tables: TablePaths;
  /** Null where they are not at hand. */
  readonly rules: Rules | null;
}

/** A finished release, by its folder. */
export async function sideOf(folder: string, receipt: Receipt): Promise<Side> {
  return { receipt, tables: releaseTablePaths(folder), rules: await rulesOf(folder, receipt) };
}
