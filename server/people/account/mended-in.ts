/** The release in which a dispute was mended, as its row has it. */

import type { Selectable } from "kysely";
import type { ScoreRelease } from "../../../schemas/public/release.ts";
import type { AccountTables } from "../accounts/schema/tables.ts";

type Row = Pick<Selectable<AccountTables["dispute"]>, "mended_version" | "mended_digest">;

/** Null where none is named. */
export function mendedInOf({ mended_version: version, mended_digest: digest }: Row): ScoreRelease | null {
  return version === null || digest === null ? null : { scoreReleaseVersion: version, releaseDigest: digest };
}
