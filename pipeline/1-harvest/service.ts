/** Describes a service to which requests can be sent. */

import type { Source, Walk } from "../sources/adapter/source.ts";

/** The part of a source that requests need. doi.org has it too. */
export interface Service
  extends Pick<
    Source,
    | "name"
    | "hosts"
    | "installations"
    | "rate"
    | "concurrency"
    | "credential"
    | "findFault"
    | "readsXml"
    | "retiredRoots"
  > {
  readonly walk: Pick<Walk, "base">;
}
