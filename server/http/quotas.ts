/** The quotas of requests, with their defaults (interface.md, "Limits"). */

/** A number of requests in a number of seconds. Both are integers of at least 1. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * The quotas, by the kind of requests that they limit. `anonymous` and `preflight` count by IP address, and `key` by
 * API key. All keys of one IP address together also count against `address`. A preflight request comes without its key,
 * so its quota is large enough for ten keys behind one address. `badge` and `poll` count by key or address, and allow
 * image proxies of large sites to fetch badges, and a user to watch ten jobs every two seconds. `report` limits the
 * problem reports of one network, and `reports` those of everybody. Each other quota belongs to a single endpoint.
 */
export type QuotaName =
  | "anonymous"
  | "preflight"
  | "badge"
  | "poll"
  | "key"
  | "address"
  | "registration"
  | "link"
  | "evaluation"
  | "report"
  | "reports";

export type Quotas = Readonly<Record<QuotaName, Quota>>;

export const DEFAULT_QUOTAS: Quotas = {
  anonymous: { requests: 100, seconds: 60 },
  preflight: { requests: 10_000, seconds: 60 },
  badge: { requests: 1000, seconds: 60 },
  poll: { requests: 300, seconds: 60 },
  key: { requests: 1000, seconds: 60 },
  address: { requests: 5000, seconds: 60 },
  registration: { requests: 3, seconds: 3600 },
  link: { requests: 5, seconds: 3600 },
  evaluation: { requests: 10, seconds: 60 },
  report: { requests: 5, seconds: 3600 },
  reports: { requests: 200, seconds: 86_400 },
};
