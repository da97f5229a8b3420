/** Options of a server, with their defaults. */

import type { FastifyBaseLogger } from "fastify";
import type { AccountTarget } from "../pipeline/store/account-target.ts";
import type { SignInOptions } from "./accounts/sign-in.ts";
import type { EvaluationOptions } from "./evaluations/index.ts";
import type { DrainOptions } from "./http/framework.ts";
import type { FollowOptions } from "./read/active-release.ts";

export interface ServerOptions extends Partial<FollowOptions>, Partial<DrainOptions> {
  /** A logger with pino's interface; false for no log. */
  readonly logger: FastifyBaseLogger | false;
  /** The account store; a file in the release store by default. */
  readonly accounts?: AccountTarget;
  /** A Redis in which several servers count requests together. Without it each counts in memory. */
  readonly redisUrl?: string;
  readonly quotas?: Partial<Quotas>;
  readonly evaluations?: EvaluationOptions;
  /** The operator's email address or https URL. The API description, its reference and the site show it. */
  readonly contact?: string | null;
  /** The site's URL, for pages, cookies and links; http://localhost with the port by default. */
  readonly site?: URL;
  readonly signIn?: SignInOptions;
  /** Whether the site is served besides the API; true by default. */
  readonly pages?: boolean;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted; none by default. */
  readonly trustProxy?: readonly string[];
  /** The time after which an idle connection is closed. */
  readonly idleMilliseconds?: number;
  /** The time in which a request must arrive. */
  readonly requestMilliseconds?: number;
}

/** A number of requests per number of seconds; both whole and at least 1. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Limited kinds of requests. `anonymous` and `preflight` count by address, `key` by API key; the others belong to
 * single endpoints. A preflight request comes without its key, so it has its own quota, large enough for ten keys
 * behind one address. Image proxies of whole sites fetch badges, so badges have a quota too, by address or key.
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

/** A configuration that the server cannot work with. The operator can correct it. */
export class ConfigurationError extends Error {
  readonly code = "ERR_CONFIGURATION";

  /** `message` names what to change and contains no secret: it is printed. */
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}
