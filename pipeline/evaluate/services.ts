/** Sends the requests that an evaluation needs: to the sources, and to doi.org. */

import { OneRecordService } from "../1-harvest/fetch-record.ts";
import { userAgent } from "../1-harvest/identification.ts";
import type { Source } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import type { RequestOptions } from "./messages.ts";
import { DOI_ORG, fetchAgency, type Services } from "./obtain.ts";
import { REQUEST_LIMITS } from "./requests.ts";

/**
 * Returns functions that fetch records and registration agencies. `getEffects` returns the effects for requests to a
 * service. `rate` replaces the rate limit of each source if the caller enforces the limits; null otherwise.
 */
export function makeServices(
  getEffects: (service: string) => Effects,
  rate: Source["rate"] | null,
  { contact, upstreams, timeoutMs }: RequestOptions,
): Services {
  const services = new Map<string, OneRecordService>();
  const getService = (source: Source) => {
    const known = services.get(source.name);
    if (known !== undefined) return known;
    const base = upstreams[source.name] ?? source.walk.base;
    const allowPrivate = base !== source.walk.base;
    const options = { base, contact, allowPrivate, limits: { ...REQUEST_LIMITS, timeoutMs } };
    const service = new OneRecordService({ ...source, rate: rate ?? source.rate }, options, getEffects(source.name));
    services.set(source.name, service);
    return service;
  };
  const agency = { base: upstreams["doi.org"] ?? DOI_ORG, agent: userAgent(contact), timeoutMs };
  return {
    fetchRecord: (source, sourceId) => getService(source).byId(sourceId),
    fetchAgency: (doi) => fetchAgency(doi, agency, getEffects("doi.org")),
  };
}
