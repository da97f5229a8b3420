/** Harvests a source's service over HTTP. */

import { isoDate } from "../../schemas/envelope.ts";
import type { Effects } from "../effects.ts";
import type { Source } from "../sources/source.ts";
import type { Store } from "../store.ts";
import { Caller, HTTP_LIMITS } from "./ask.ts";
import { BadHarvestOption } from "./errors.ts";
import { AllowedHosts } from "./hosts.ts";
import { RawSession } from "./session.ts";
import type { HarvestSummary } from "./summary.ts";
import { userAgent } from "./user-agent.ts";
import { type HttpOptions, WalkUnderWay } from "./walk.ts";

/** Walks the service of `source` into its raw folder. */
export async function harvestHttp(
  store: Store,
  source: Source,
  options: HttpOptions,
  effects: Effects,
): Promise<HarvestSummary> {
  const { since } = options;
  if (since !== null && since !== "last" && !isoDate.safeParse(since).success) {
    throw new BadHarvestOption(`"${since}" is no day; write it as 2024-05-31, or last`);
  }
  const base = options.base ?? source.walk.base;
  const hosts = new AllowedHosts(source, base, options.allowPrivate ?? false);
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const caller = new Caller(source, hosts, userAgent(options.contact), limits, effects);
  const session = await RawSession.open(store.raw(source.name));
  try {
    return await new WalkUnderWay(session, source, caller, { ...options, base }, effects).run();
  } finally {
    await session.close();
  }
}
