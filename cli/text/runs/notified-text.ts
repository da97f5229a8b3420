/** Who was told of an activation, for people: a line for each address. */

import type { Notified } from "../../../releases/notify.ts";

export function notifiedText(notified: readonly Notified[]): string[] {
  return notified.map(({ to, delivered, attempts, why }) =>
    delivered ? `${to} was told` : `${to} was not told: ${why}, after ${attempts} ${attempts === 1 ? "try" : "tries"}`,
  );
}
