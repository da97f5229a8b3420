/** Refusals of the service as errors: problem details (RFC 9457). */

import type { components } from "./described.ts";

type Details = components["schemas"]["Problem"];

/** An answer that is no success. `code` says which problem it is, for good; `message` is for people. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  /** The last part of `type`, such as `dataset-not-found`; `unknown` where something before the service refused. */
  readonly code: string;
  /** An address on the service with a page on the problem. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly instance: string;
  /** Each parameter or member that is wrong. */
  readonly errors: NonNullable<Details["errors"]>;
  /** Seconds after which asking again may help; null where nothing is said. */
  readonly retryAfter: number | null;

  constructor(details: Details, retryAfter: number | null) {
    super(`${details.title}: ${details.detail}`);
    this.status = details.status;
    this.type = details.type;
    this.code = details.type.split("/").at(-1) ?? "unknown";
    this.title = details.title;
    this.detail = details.detail;
    this.instance = details.instance;
    this.errors = details.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The problem that an answer tells of; one of `unknown` code where it has no problem document, as a proxy's has not. */
export async function problemIn(response: Response, retryAfter: number | null): Promise<Problem> {
  const text = await response.text();
  const { status } = response;
  const said: Details = {
    type: "/problems/unknown",
    title: response.statusText || `Status ${status}`,
    status,
    detail: "the answer says no more",
    instance: new URL(response.url || "http://unknown/").pathname,
  };
  return new Problem({ ...said, ...documentIn(response, text) }, retryAfter);
}

function documentIn(response: Response, text: string): Partial<Details> {
  if (!response.headers.get("content-type")?.startsWith("application/problem+json")) return {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
