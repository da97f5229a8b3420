/** Options of a server, with their defaults. */

import type { FastifyBaseLogger } from "fastify";
import type { AccountTarget } from "../pipeline/store/account-target.ts";
import type { SiteFace } from "../web/components/face.ts";
import type { SignInOptions } from "./accounts/sign-in.ts";
import type { EvaluationOptions } from "./evaluations/index.ts";
import type { DrainOptions } from "./http/framework.ts";
import type { Quotas } from "./http/quotas.ts";
import type { FollowOptions } from "./read/active-release.ts";

export interface ServerOptions extends Partial<FollowOptions>, Partial<DrainOptions> {
  readonly logger: FastifyBaseLogger | false;
  /** The account store; a file in the release store by default. */
  readonly accounts?: AccountTarget;
  /** Creates an empty account store if the one that the release store names is lost; false by default. */
  readonly newAccounts?: boolean;
  /** The URL of a Redis in which several servers count requests together. Without it, each server counts in memory. */
  readonly redisUrl?: string;
  readonly quotas?: Partial<Quotas>;
  readonly evaluations?: EvaluationOptions;
  /** The operator's email address or https URL. The API description, its reference and the site show it. */
  readonly contact?: string | null;
  /** Title, logo, colour, own texts and locale of the site; those of the program by default. */
  readonly face?: SiteFace;
  /** The site's URL, for pages, cookies and links; http://localhost with the port by default. */
  readonly site?: URL;
  readonly signIn?: SignInOptions;
  /** Milliseconds between two searches for emails about a new release; one minute by default. */
  readonly mailMilliseconds?: number;
  /** Whether views are made for a static host, which cannot process forms; false by default. */
  readonly isStatic?: boolean;
  /** Whether the site is served besides the API; true by default. */
  readonly pages?: boolean;
  readonly trustProxy?: readonly string[];
  readonly idleMilliseconds?: number;
  readonly requestMilliseconds?: number;
  readonly addressConnections?: number;
}
