/** Tests PageDigester, which computes the digests of pages one after the other, from chunks of any size. */

import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { type PageText, pageBytes } from "../../api-static/pages/read-page.ts";
import { PageDigester } from "../../pipeline/packs/pack-writer.ts";

const CASES: readonly { readonly name: string; readonly page: PageText }[] = [
  { name: "a text", page: "SHARE | 72" },
  { name: "text and bytes", page: ["[", Buffer.from('{"title":"Größe"}'), ",", "{}", "]\n"] },
  { name: "no bytes", page: [] },
  { name: "a piece larger than those before", page: [Buffer.alloc(1 << 20, "x"), "ß".repeat(1 << 18)] },
  { name: "a short piece after it", page: ["{", "}"] },
  { name: "characters of four bytes, and half of one", page: ["\u{1F409}", "\ud83d", Buffer.from("x")] },
];

test("PageDigester computes the digest of the bytes of a page, however they are divided into chunks", () => {
  const digester = new PageDigester();
  for (const { name, page } of CASES)
    expect(digester.sha256(page).toString("hex"), name).toBe(hash("sha256", pageBytes(page), "hex"));
});
