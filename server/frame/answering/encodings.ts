/** The encodings of contents, best first, how hard they are compressed, and which one an answer has. */

import { constants } from "node:zlib";

export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Smaller answers fit into one packet as they are. */
export const THRESHOLD_BYTES = 1024;

/** Beyond this level an answer costs more time than it saves on the line. */
export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } as const;

/** The encoding of a content of so many bytes; null where the client takes none of ours, or asks with more than names. */
export function encodingFor(accepted: string | undefined, length: number): Encoding | null {
  // Preferences are weighed where contents are compressed on their way.
  if (accepted === undefined || length < THRESHOLD_BYTES || accepted.includes("=")) return null;
  const names = accepted.split(",").map((name) => name.trim());
  return ENCODINGS.find((each) => names.includes(each)) ?? null;
}

/** What gets smaller, by its type, as the plugin that compresses streams has it; rows, as JSON, one a line, or as Arrow, too. */
export const COMPRESSIBLE =
  /^text\/(?!event-stream)|(?:\+|\/|\/x-nd)json(?:;|$)|(?:\+|\/)text(?:;|$)|(?:\+|\/)xml(?:;|$)|octet-stream(?:;|$)|\/vnd\.apache\.arrow\.stream$/u;
