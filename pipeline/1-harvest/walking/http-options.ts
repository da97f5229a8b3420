/** The options of a harvest over HTTP. */

import type { HttpLimits } from "../asking/ask.ts";
import type { Bounds } from "../asking/budget.ts";
import type { WantedRecords } from "./wanted-records.ts";

export interface HttpOptions {
  /** Only what changed on or after this day; "last" for since the last complete walk; null for everything. */
  readonly since: string | null;
  /** Stop after so many records. */
  readonly limit: number | null;
  /** Another address of the service; the source's own by default. */
  readonly base?: string;
  /** Further hosts of a source that others run too. */
  readonly installations?: readonly string[];
  /** E-mail address the service can write to. */
  readonly contact: string | null;
  /** What the service knows the caller by, where it gives credentials; never logged, never stored. */
  readonly secret?: string | null;
  /** Records to fetch besides, before the walk. */
  readonly wanted?: WantedRecords;
  /** How much to ask of the service in this run. */
  readonly bounds?: Partial<Bounds>;
  /** Allows `base` to be any address: for tests on loopback. */
  readonly allowPrivate?: boolean;
  readonly limits?: Partial<HttpLimits>;
}
