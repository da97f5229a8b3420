/**
 * Provides SHA-256 on Node. `#hash` in package.json means this file on Node, and hash-in-browsers.ts in bundles for
 * browsers.
 */

export { hash } from "node:crypto";
