/** The sizes beyond which input is refused, so that no file and no service can exhaust the machine. */

/** A line or a whole document (list envelopes included). */
export const DOCUMENT_BYTES = 64 * 1024 * 1024;

/** One record; decisions.md gives evaluations the same limit. */
export const PAYLOAD_BYTES = 5 * 1024 * 1024;

/** Objects and arrays within one another. */
export const DEPTH = 200;

/** Numbers, texts, objects and so on of one document: four to a line of 64 characters, which no list of records comes near. */
export const VALUES = 4_000_000;

/** Records of one document, each of 128 bytes at least where it is as large as a document may be. */
export const ITEMS = 500_000;

/** Refusals of one file, or page of a walk, that are told one by one; of those behind them there is a count. */
export const LISTED_REFUSALS = 1000;

/** Uncompressed size at which a part is rolled. */
export const PART_SIZE = 64 * 1024 * 1024;

/** Refusals held in memory before they are written. */
export const WAITING_REFUSALS = 20_000;

/** Pages of one part of a record; a part with more is left out rather than cut. */
export const PAGES_OF_A_PART = 200;

/** Records remembered to tell one that comes twice; older ones are forgotten by halves. */
export const REMEMBERED_RECORDS = 4_000_000;

/** Requests after which a walk is checkpointed, so that little is asked for again. */
export const REQUESTS_A_PART = 200;

/** Pages after which a walk is checkpointed, however small they are. */
export const PAGES_A_PART = 20;
