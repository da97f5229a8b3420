/** The time of a content: within what every file system holds, and never none. */

import { expect, test } from "vitest";
import { contentTime } from "../../api-static/pages/content-time.ts";
import { etagOf, etagOfDigest } from "../../server/frame/answering/etag.ts";

const REST = "0".repeat(56);

test.each([
  { digest: `00000000${REST}`, time: 1, name: "none is the first second" },
  { digest: `00000001${REST}`, time: 1, name: "half a second is, too" },
  { digest: `00000002${REST}`, time: 1, name: "the first" },
  { digest: `80000000${REST}`, time: 2 ** 30, name: "31 bits, not 32" },
  { digest: `ffffffff${REST}`, time: 2 ** 31 - 1, name: "the last that 32 bits with a sign hold" },
])("$name", ({ digest, time }) => {
  expect(contentTime(digest)).toBe(time);
  expect(etagOfDigest(digest, 255)).toBe(`"${time.toString(16)}-ff"`);
});

test("the tag of a content is that of its sha256", () => {
  // sha256 of the empty text begins with e3b0c442.
  expect(etagOf(Buffer.from(""))).toBe('"71d86221-0"');
});
