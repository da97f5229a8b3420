/** A page as its pack has it, looked at before it leaves the store: what has rotted does not. */

import { hash } from "node:crypto";
import type { PackedPage } from "../../../pipeline/packs/pack-reader.ts";
import { PublishRefused } from "../target/errors.ts";

/**
 * The bytes of a page; `name` is for people.
 * @throws PublishRefused where they are not what the index says
 */
export function checkedPage(name: string, { bytes, sha256 }: PackedPage): Buffer {
  if (hash("sha256", bytes, "buffer").equals(sha256)) return bytes;
  throw new PublishRefused(
    `the page ${name} is not what its index says, and was not published; see \`share-release verify\``,
  );
}
