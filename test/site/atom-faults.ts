/**
 * Finds violations of RFC 4287 (Atom) in a feed, and describes them. There is no maintained package that checks feeds, so this
 * file checks the clauses that our feeds could violate.
 */

import { XMLParser, XMLValidator } from "fast-xml-parser";

const ATOM = "http://www.w3.org/2005/Atom";

/** Matches a date-time of RFC 3339 with capital T and Z, as Atom requires, for example 2026-11-01T09:00:00Z (RFC 4287, 3.3). */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

type Element = Readonly<Record<string, unknown>>;

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  isArray: (_name, path, _isLeaf, isAttribute) => path !== "feed" && !isAttribute,
});

export function atomFaults(text: string): string[] {
  if (XMLValidator.validate(text) !== true) return ["is not well-formed"];
  const { feed } = parser.parse(text) as { feed?: Element };
  if (feed?.["@_xmlns"] !== ATOM) return ["its root is not atom:feed"];
  const entries = listElements(feed, "entry").map((entry) => entry as Element);
  const seen = entries.map((entry) => `${getText(entry, "id")} ${getText(entry, "updated")}`);
  return [
    ...sharedFaults(feed, "feed"),
    ...listElements(feed, "link").flatMap((link) => linkFaults(link as Element)),
    ...(relations(feed, "self").length === 1 ? [] : ["4.1.1: a feed should have one link with rel=self"]),
    ...entries.flatMap((entry) => entryFaults(entry, feed)),
    ...(new Set(seen).size === seen.length ? [] : ["4.1.1: two entries have one id and one instant"]),
  ];
}

/** Lists faults in the elements that a feed and each of its entries must have exactly once, such as `id`. */
function sharedFaults(element: Element, name: string): string[] {
  const alternates = relations(element, "alternate").map((link) => `${link["@_type"]} ${link["@_hreflang"]}`);
  return [
    ...(new Set(alternates).size === alternates.length ? [] : [`4.1: ${name} has two alternates of one type`]),
    ...(["id", "title", "updated"] as const)
      .filter((member) => listElements(element, member).length !== 1)
      .map((member) => `4.1: ${name} must have exactly one ${member}`),
    ...(isIri(getText(element, "id")) ? [] : [`4.2.6: the id of ${name} is not an IRI`]),
    ...["updated", "published"]
      .filter((member) => listElements(element, member).length > 0 && !INSTANT.test(getText(element, member)))
      .map((member) => `3.3: ${member} of ${name} is not a date-time`),
    ...(getText(element, "title") === "" ? [`${name} has an empty title`] : []),
  ];
}

function entryFaults(entry: Element, feed: Element): string[] {
  const contents = listElements(entry, "content");
  return [
    ...sharedFaults(entry, "entry"),
    ...listElements(entry, "link").flatMap((link) => linkFaults(link as Element)),
    ...(contents.length <= 1 && listElements(entry, "summary").length <= 1
      ? []
      : ["4.1.2: more than one content or summary"]),
    ...(contents.length === 1 || relations(entry, "alternate").length > 0
      ? []
      : ["4.1.2: neither content nor alternate"]),
    ...[...listElements(feed, "author"), ...listElements(entry, "author")].slice(0, 1).flatMap(authorFaults),
    ...(listElements(feed, "author").length + listElements(entry, "author").length > 0
      ? []
      : ["4.1.1: neither the feed nor the entry has an author"]),
    ...contents
      .filter((content) => !["text", "html"].includes(String((content as Element)["@_type"])))
      .map(() => "3.1: the type of a content is neither text nor html"),
  ];
}

function authorFaults(author: unknown): string[] {
  return getText(author as Element, "name") === "" ? ["3.2.1: a person must have a name"] : [];
}

function linkFaults(link: Element): string[] {
  return URL.canParse(String(link["@_href"])) ? [] : ["a URL that is not absolute"];
}

function relations(element: Element, relation: string): Element[] {
  return listElements(element, "link")
    .map((link) => link as Element)
    .filter((link) => (link["@_rel"] ?? "alternate") === relation);
}

function listElements(element: Element, name: string): readonly unknown[] {
  const found = element[name];
  return Array.isArray(found) ? found : [];
}

function getText(element: Element, name: string): string {
  const [found] = listElements(element, name);
  if (typeof found === "object" && found !== null) return String((found as Element)["#text"] ?? "");
  return String(found ?? "");
}

/** Returns true for a text that looks like an absolute IRI: a scheme, a colon and more, such as `urn:sha256`. */
function isIri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S+$/.test(text);
}
