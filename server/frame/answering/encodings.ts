/** The encodings of contents, best first, and how hard they are compressed. */

import { constants } from "node:zlib";

export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Smaller answers fit into one packet as they are. */
export const THRESHOLD_BYTES = 1024;

/** Beyond this level an answer costs more time than it saves on the line. */
export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } as const;
