/** The functions for MD5 and base64, which also run in browsers, give the same results as Node for any text. */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { md5 } from "../../pipeline/reading/md5.ts";
import { textOfBase64 } from "../../pipeline/reading/text.ts";

test.each([
  // RFC 1321, A.5.
  ["", "d41d8cd98f00b204e9800998ecf8427e"],
  ["message digest", "f96b697d7cb7938d525a2f31aaf161d0"],
  [
    "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
    "57edf4a22be3c955ac49da2e2107b67a",
  ],
])("md5 of %j is the value in RFC 1321", (text, digest) => {
  expect(md5(text)).toBe(digest);
});

test("md5 of any text is the value that Node computes, also for every length around a block", () => {
  const lengths = Array.from({ length: 140 }, (_, length) => "é".repeat(length).slice(length % 7));
  for (const text of lengths) expect(md5(text)).toBe(createHash("md5").update(text).digest("hex"));
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      expect(md5(text)).toBe(createHash("md5").update(text).digest("hex"));
    }),
  );
});

test("any base64 text, valid or almost valid, is decoded as Node decodes it", () => {
  const nearly = fc.string({ unit: fc.constantFrom(..."AByz019+/-_= \né!\ufeff"), maxLength: 40 });
  const encoded = fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text).toString("base64"));
  fc.assert(
    fc.property(fc.oneof(nearly, encoded, fc.constant("77u/YQ==")), (text) => {
      expect(textOfBase64(text)).toBe(Buffer.from(text, "base64").toString());
    }),
    { numRuns: 2000 },
  );
});
