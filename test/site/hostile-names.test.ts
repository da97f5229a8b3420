/** Hostile names stay text: they cause no markup, script or executable URL. */

import { expect, test } from "vitest";
import { SCRIPTS } from "../../web/components/scripts.ts";
import { HOSTILE_NAMES, hostilePages } from "./hostile-pages.ts";

/** Elements and attributes that our views never write. */
const FOREIGN = /<img src=x|onerror="|<script>alert|href="javascript:|<\/title><\/script>/;

test.each(HOSTILE_NAMES)("a hostile name stays text: $name", ({ text }) => {
  for (const page of hostilePages(text)) {
    expect(page.match(/<\/html>/g)?.length).toBe(1);
    expect(page).not.toMatch(FOREIGN);
    // Our own scripts, complete, and one data script if there is one.
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
