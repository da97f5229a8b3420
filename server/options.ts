/** Options of a server, with their defaults. */

import type { FastifyBaseLogger } from "fastify";
import type { AccountTarget } from "../pipeline/store/account-target.ts";
import type { SignInOptions } from "./accounts/sign-in.ts";
import type { EvaluationOptions } from "./evaluations/index.ts";
import type { DrainOptions } from "./http/framework.ts";
import type { FollowOptions } from "./read/active-release.ts";

export interface ServerOptions extends Partial<FollowOptions>, Partial<DrainOptions> {
  readonly logger: FastifyBaseLogger | false;
  /** The account store; a file in the release store by default. */
  readonly accounts?: AccountTarget;
  /** Creates an empty account store if the one that the store records is lost; false by default. */
  readonly newAccounts?: boolean;
  /** A Redis in which several servers count requests together. Without it each counts in memory. */
  readonly redisUrl?: string;
  readonly quotas?: Partial<Quotas>;
  readonly evaluations?: EvaluationOptions;
  /** The operator's email address or https URL. The API description, its reference and the site show it. */
  readonly contact?: string | null;
  /** The site's URL, for pages, cookies and links; http://localhost with the port by default. */
  readonly site?: URL;
  readonly signIn?: SignInOptions;
  /** The interval at which emails about a new release are sent; a minute by default. */
  readonly mailMilliseconds?: number;
  /** Whether the site is served besides the API; true by default. */
  readonly pages?: boolean;
  readonly trustProxy?: readonly string[];
  readonly idleMilliseconds?: number;
  readonly requestMilliseconds?: number;
  readonly addressConnections?: number;
}

/** A number of requests in a number of seconds. Both are integers of at least 1. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Limited kinds of requests. `anonymous` and `preflight` count by IP address, `key` by API key; the others belong to
 * single endpoints. All keys of one address together count against `address`. A preflight request comes without its key.
 * Its quota is large enough for ten keys behind one address. Image proxies of large sites fetch badges, so badges have a
 * quota by address or key too. So do requests for the state of a job: ten jobs can be watched every two seconds.
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
  | "evaluation";

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
};

/** A configuration that the server cannot work with. The operator can correct it. */
export class ConfigurationError extends Error {
  readonly code = "ERR_CONFIGURATION";

  /** `message` says what to change. It is printed, so it contains no secret. */
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}
