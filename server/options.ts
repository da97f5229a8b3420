/** The options of a server. */

import type { FastifyBaseLogger } from "fastify";
import type { AccountTarget } from "../pipeline/store/account-target.ts";
import type { SignInOptions } from "./accounts/sign-in.ts";
import type { EvaluationOptions } from "./evaluations/index.ts";
import type { DrainOptions } from "./http/framework.ts";
import type { FollowOptions } from "./read/active-release.ts";

export interface ServerOptions extends Partial<FollowOptions>, Partial<DrainOptions> {
  /** Anything with pino's interface, or false for silence. */
  readonly logger: FastifyBaseLogger | false;
  /** Where accounts and API keys are kept; a file of the store unless something else is said. */
  readonly accounts?: AccountTarget;
  /** Where several servers count requests together; each in its own memory without. */
  readonly redisUrl?: string;
  readonly quotas?: Partial<Quotas>;
  readonly evaluations?: EvaluationOptions;
  /** The operator's email address or https URL, which the API's description, its reference and the site show. */
  readonly contact?: string | null;
  /** The site's own address, which its pages, cookies and links have; http://localhost at the port it listens on without. */
  readonly site?: URL;
  readonly signIn?: SignInOptions;
  /** Whether there are pages for people, besides the API; there are unless something else is said. */
  readonly pages?: boolean;
  /** Addresses and networks of proxies whose X-Forwarded-For is believed; nobody's where there are none. */
  readonly trustProxy?: readonly string[];
  /** How long nothing may move on a connection. */
  readonly idleMilliseconds?: number;
  /** How long a request may take to arrive. */
  readonly requestMilliseconds?: number;
}

/** So many requests in so many seconds; whole numbers of at least 1. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * What is limited. `anonymous` and `preflight` count by address, `key` by API key; the others are for single addresses of
 * the API. Browsers ask OPTIONS before they send a key, for every address anew, and cannot say in it whose key it will be:
 * charged to the anonymous quota, it would hold callers with keys to that. So it has a quota of its own, large enough for
 * ten keys behind one address. Badges are fetched by the image proxies of whole sites, for readers who may ask for more
 * than pictures from behind the same address: they have one too, counted by address or key.
 */
export type QuotaName = "anonymous" | "preflight" | "badge" | "key" | "registration" | "link" | "evaluation";

export type Quotas = Readonly<Record<QuotaName, Quota>>;

export const DEFAULT_QUOTAS: Quotas = {
  anonymous: { requests: 100, seconds: 60 },
  preflight: { requests: 10_000, seconds: 60 },
  badge: { requests: 1000, seconds: 60 },
  key: { requests: 1000, seconds: 60 },
  registration: { requests: 3, seconds: 3600 },
  link: { requests: 5, seconds: 3600 },
  evaluation: { requests: 10, seconds: 60 },
};

/** The server was told something it cannot work with: an operator can put it right. */
export class ConfigurationError extends Error {
  readonly code = "ERR_CONFIGURATION";

  /** `message` names what to change, and repeats no secret: it is printed. */
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}
