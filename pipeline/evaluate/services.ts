/** The services that an evaluation asks: the sources' own, and doi.org. */

import { OneRecordService } from "../1-harvest/fetch-record.ts";
import { userAgent } from "../1-harvest/identification.ts";
import type { Source } from "../sources/adapter/source.ts";
import type { Effects } from "../stage/effects.ts";
import type { RequestOptions } from "./messages.ts";
import { DOI_ORG, fetchAgency, type Services } from "./obtain.ts";
import { REQUEST_LIMITS } from "./requests.ts";

/**
 * `getEffects` returns the effects with which a service is asked. `rate` replaces the rate of each source, if something else
 * enforces the rates.
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
