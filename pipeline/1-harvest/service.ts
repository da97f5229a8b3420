/** Describes a service to which requests can be sent. */

import type { Source, Walk } from "../sources/adapter/source.ts";

/**
 * The properties of a service that requests need, such as its hosts and its rate limit. A source has them, and so has
 * doi.org.
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
