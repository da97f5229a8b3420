/** The functions for SHA-256 and UTF-8 that run in browsers give the same results as those of Node. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeStrictly, decodeText } from "../../pipeline/files/decode-text.ts";
import { hash as browserHash } from "../../pipeline/files/hash-in-browsers.ts";
import { hash as nodeHash } from "../../pipeline/files/hash-in-node.ts";

test("the function for browsers computes the same sha256 as Node, for any text and for bytes of every length around a block", () => {
  for (let length = 0; length <= 130; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) % 256);
    expect([length, browserHash("sha256", bytes)]).toEqual([length, nodeHash("sha256", bytes)]);
  }
  const text = fc.string({ unit: "binary", maxLength: 300 });
  fc.assert(
    fc.property(text, (each) => {
      expect(browserHash("sha256", each)).toBe(nodeHash("sha256", each));
    }),
  );
});

test("decodeText decodes bytes as Buffer does, and decodeStrictly returns null for bytes that are not UTF-8", () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  fc.assert(
    fc.property(bytes, fc.nat(40), (each, start) => {
      expect(decodeText(each, start)).toBe(Buffer.from(each).toString("utf8", start));
      const text = Buffer.from(each).toString();
      expect(decodeStrictly(each)).toBe(Buffer.from(text).equals(each) ? text : null);
    }),
  );
  expect(decodeStrictly(Buffer.from("\uFEFFa"))).toBe("\uFEFFa");
});
