/** Limits of inputs and of the parts of a harvest. */

/** Largest line or document (including list envelopes) in bytes. */
export const DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Largest record in bytes. Evaluations have the same limit (decisions.md). */
export const PAYLOAD_BYTES = 5 * 1024 * 1024;

/** Deepest nesting of objects and arrays. */
export const DEPTH = 200;

/**
 * Largest number of values in one document. It allows four values for every 64 characters, far more than lists of records
 * have.
 */
export const VALUES = 4_000_000;

/** Largest number of records in one document. In the largest document, each has at least 128 bytes. */
export const ITEMS = 500_000;

/** Rejected items of one file or page that are listed. Further ones are counted. */
export const LISTED_REJECTIONS = 1000;

/** Uncompressed size in bytes at which a part is finished. */
export const PART_SIZE = 64 * 1024 * 1024;

/** Rejected items in memory before they are written. */
export const WAITING_REJECTIONS = 20_000;

/** Limit of pages of one part of a record. A longer part is left out completely. */
export const PAGES_OF_A_PART = 200;

/** Records that a walk remembers to detect repetitions. At the limit, it forgets the older half. */
export const REMEMBERED_RECORDS = 4_000_000;

/** Requests between two checkpoints of a walk. */
export const REQUESTS_A_PART = 200;

/** Pages between two checkpoints of a walk. */
export const PAGES_A_PART = 20;
