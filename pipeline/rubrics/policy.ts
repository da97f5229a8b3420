/** The policy of a release, which it decides for itself: no contract says it, so the receipt does, and the digest is over it. */

import { hash } from "node:crypto";
import type { Policy } from "../../schemas/public/release.ts";
import { canonicalJson } from "../files/canonical-json.ts";

/** Below five signals that could be judged, a total would say more about the payload than about the dataset. */
export const POLICY: Policy = { leastEvaluable: 5 };

/** Releases made before there was a policy gave everything a total. */
export const NO_POLICY: Policy = { leastEvaluable: 0 };

/** The digest of a policy, as it is among the inputs of the release digest. */
export function policyDigest(policy: Policy): string {
  return `sha256:${hash("sha256", canonicalJson(policy))}`;
}
