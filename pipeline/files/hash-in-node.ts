/**
 * Provides SHA-256 on Node. The import `#hash` (package.json) means this file on Node, and hash-in-browsers.ts in
 * bundles for browsers.
 */

export { hash } from "node:crypto";
