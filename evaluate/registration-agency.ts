/** The agency that registered a DOI: doi.org's look-up of registration agencies (sources.md, 14). */

import { asText, at } from "../pipeline/reading/reader.ts";
import type { Effects } from "../pipeline/stage/effects.ts";
import { unusable, upstreamFault } from "./upstream-fault.ts";

export const DOI_ORG = "https://doi.org";

/** An answer is one short object. */
const MOST_BYTES = 64 * 1024;

/** The agency by name; or, in doi.org's words, why there is none. */
export type Agency = { readonly agency: string } | { readonly agency: null; readonly status: string };

export interface AgencyOptions {
  /** doi.org, or a test's service. */
  readonly base: string;
  readonly agent: string;
  readonly timeoutMs: number;
}

/** Asks doi.org, twice where it fails once; its faults are thrown as an evaluation says them. */
export async function agencyOf(doi: string, options: AgencyOptions, effects: Effects): Promise<Agency> {
  try {
    return await askOnce(doi, options, effects);
  } catch {
    return askOnce(doi, options, effects).catch((error: unknown) => {
      throw upstreamFault(error, "doi.org");
    });
  }
}

async function askOnce(doi: string, { base, agent, timeoutMs }: AgencyOptions, effects: Effects): Promise<Agency> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { accept: "application/json", "user-agent": agent };
  // A redirect would lead to the data themselves, or nowhere: the look-up answers by itself.
  const response = await effects.fetch(addressOf(doi, base), { headers, redirect: "manual", signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw unusable("doi.org", `status ${response.status}`);
  }
  return agencyIn(await shortText(response));
}

/** Commas would separate several DOIs. */
function addressOf(doi: string, base: string): URL {
  const path = doi.split("/").map(encodeURIComponent).join("/");
  return new URL(`/doiRA/${path}`, base);
}

async function shortText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > MOST_BYTES) throw unusable("doi.org", "an answer that is far too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function agencyIn(text: string): Agency {
  const answers = parsed(text);
  const first: unknown = Array.isArray(answers) ? answers[0] : null;
  const agency = asText(at(first, "RA"));
  if (agency !== null) return { agency };
  const status = asText(at(first, "status"));
  if (status === null) throw unusable("doi.org", "neither an agency nor a status");
  return { agency: null, status };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable("doi.org", `no JSON: ${cause instanceof SyntaxError ? "a syntax error" : "unreadable"}`);
  }
}
