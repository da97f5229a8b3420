/** Kendall's tau with its interval, as both are published. */

import { type PairSums, tau } from "./kendall.ts";
import { rounded } from "./rounded.ts";
import { Z } from "./wilson.ts";

/** The pairs that differ are taken as given; nulls where one of the orders is all ties. */
export function tauInterval(sums: PairSums) {
  const middle = tau(sums);
  const spread = (Z * Math.sqrt(sums.variance)) / Math.sqrt(sums.differX * sums.differY);
  return {
    tau: rounded(middle),
    low: rounded(Math.max(-1, middle - spread)),
    high: rounded(Math.min(1, middle + spread)),
  };
}
