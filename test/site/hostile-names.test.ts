/**
 * Hostile names of datasets and people stay text on the pages: they become neither markup nor a script or a URL that runs code.
 */

import { expect, test } from "vitest";
import { SCRIPTS } from "../../web/components/scripts.ts";
import { HOSTILE_NAMES, hostilePages } from "./hostile-pages.ts";

/** Matches markup of the hostile names if a page failed to escape it. Our views never write these elements and attributes. */
const FOREIGN = /<img src=x|onerror="|<script>alert|href="javascript:|<\/title><\/script>/;

test.each(HOSTILE_NAMES)("a hostile name of a dataset or person stays text on the pages: $name", ({ text }) => {
  for (const page of hostilePages(text)) {
    expect(page.match(/<\/html>/g)?.length).toBe(1);
    expect(page).not.toMatch(FOREIGN);
    // The only scripts are complete scripts of the site, and at most one with JSON-LD data.
    const ours = SCRIPTS.filter((script) => page.includes(`<script>${script}</script>`));
    const data = page.match(/<script type="application\/ld\+json">/g) ?? [];
    expect(data.length).toBeLessThan(2);
    expect(page.match(/<script/g)?.length).toBe(ours.length + data.length);
    for (const [, data = ""] of page.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)) {
      expect(JSON.parse(data)).toMatchObject({ "@type": "Dataset", name: text });
    }
  }
});

test("a name written from right to left does not reverse the text around it", () => {
  for (const page of hostilePages("بيانات")) {
    for (const [element] of page.matchAll(/<(?:a|h1|p|span|bdi)[^>]*>بيانات</g)) {
      expect(element).toMatch(/<bdi>|dir="auto"/);
    }
  }
});

test("the page of a researcher with ten thousand datasets stays small, and its datasets have pages of their own", () => {
  const [, , page = ""] = hostilePages("Rain");
  expect(page).toContain("Page 1 of 100");
  expect(page.length).toBeLessThan(200_000);
});
