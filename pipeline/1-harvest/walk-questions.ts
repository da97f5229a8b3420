/** The questions of a walk about requests and failures: whether they are the same, and whether another way would help. */

import { hash } from "node:crypto";
import { type Ask, WalkFault } from "../sources/adapter/source.ts";
import { UpstreamRefused } from "./errors.ts";

/** The service no longer knows the place a walk had come to, or says in a 200 that it has no such page. */
export function isStale(error: unknown): boolean {
  if (error instanceof WalkFault) return true;
  return error instanceof UpstreamRefused && [200, 400, 404, 410, 422].includes(error.status);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

export function isError200(error: unknown): boolean {
  return error instanceof UpstreamRefused && error.status === 200;
}

/** The text that makes a request this one and no other. */
export function keyOf({ url, headers, body }: Ask): string {
  return hash("sha256", JSON.stringify([url, headers ?? null, body ?? null])).slice(0, 24);
}

export function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, i) => id === other[i]);
}

/** A day's margin: services date changes in their own time zone, and clocks differ. */
export function dayBefore(started: string | null): string | null {
  return started === null ? null : new Date(Date.parse(started) - 86_400_000).toISOString().slice(0, 10);
}
