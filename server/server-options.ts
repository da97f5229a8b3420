/** The options of a server. */

import type { FastifyBaseLogger } from "fastify";
import type { AccountTarget } from "../pipeline/store/account-target.ts";
import type { SignInOptions } from "./accounts/sign-in/index.ts";
import type { EvaluationOptions } from "./evaluations/index.ts";
import type { DrainOptions } from "./http/framework.ts";
import type { Quotas } from "./http/poll.ts";
import type { FollowOptions } from "./read/release/active-release.ts";

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
