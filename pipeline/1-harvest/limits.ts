/** Limits of the inputs of a harvest, and of the raw parts that it writes. */

/** Largest line or document in bytes. A document may be a list with many records. */
export const DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Largest record in bytes. The check of a single record has the same limit (decisions.md). */
export const PAYLOAD_BYTES = 5 * 1024 * 1024;

/** Largest depth of nested objects and arrays. A document with more levels is rejected. */
export const DEPTH = 200;

/**
 * Largest number of values in one document: four for every 64 bytes of the largest document. Lists of records have far
 * fewer.
 */
export const VALUES = 4_000_000;

/**
 * Largest number of records in one document. A document of the largest size only reaches this number if its records
 * have less than 135 bytes on average.
 */
export const ITEMS = 500_000;

/** Number of rejected items of one file or page that are listed one by one. Further items are only counted. */
export const LISTED_REJECTIONS = 1000;

/** Number of bytes before compression at which a raw part is finished. */
export const PART_SIZE = 64 * 1024 * 1024;

/** Number of rejected items in memory at which they are written to the disk. */
export const WAITING_REJECTIONS = 20_000;

/**
 * Largest number of pages of one part of a record, such as its list of files. An optional part with more pages is left
 * out completely; with a required part, the record is rejected.
 */
export const PAGES_OF_A_PART = 200;

/** Number of records that a harvest remembers to detect repetitions. At this limit, it forgets the older half. */
export const REMEMBERED_RECORDS = 4_000_000;

/** Number of requests after which a harvest writes a checkpoint. */
export const REQUESTS_A_PART = 200;

/** Number of pages after which a harvest writes a checkpoint. */
export const PAGES_A_PART = 20;
