/** Describes a service to which requests can be sent. */

import type { Source, Walk } from "../sources/adapter/source.ts";

/**
 * The properties of a service that requests need, such as its hosts and its rate limit. Every source has them; doi.org
 * has them too, although it is not a source.
 */
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
