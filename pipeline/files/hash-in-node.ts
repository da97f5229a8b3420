/** SHA-256 on Node. `#hash` in package.json selects this file, and hash-in-browsers.ts in bundles for browsers. */

export { hash } from "node:crypto";
