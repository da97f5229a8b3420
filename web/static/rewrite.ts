/**
 * Rewrites a view of the server into a page of a static site: removes elements that need a server, makes links
 * relative, and loads one script for all pages. Views are markup of this program, in which `<` and `>` occur only in
 * tags and scripts.
 */

/** A function that returns the new value of a link in a view; null if the static site has no such file. */
export type Resolve = (link: string) => string | null;

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][a-z0-9:-]*(?:="[^"]*")?)*)\s*\/?>/gi;

const VOID = new Set(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"]);

/** Attributes whose value is an address. That of `data-live` is the script of the check page. */
const ADDRESSES = ["href", "src", "action", "data-live"];

type Attributes = ReadonlyMap<string, string | null>;

interface RewrittenElement {
  readonly name: string;
  /** True if the tags of the element stay. Otherwise only the content between them stays. */
  readonly isKept: boolean;
}

/** Returns a page, or a part of a page, rewritten for a static site. `resolve` returns the new value of an address. */
export function rewritten(text: string, resolve: Resolve): string {
  const parts: string[] = [];
  const open: RewrittenElement[] = [];
  /** The depth of the element that is left out with all of its content; -1 outside of such elements. */
  let dropped = -1;
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [tag, closing, name = "", attributeText = ""] = match;
    if (dropped < 0) parts.push(text.slice(end, match.index));
    end = match.index + tag.length;
    if (closing === "/") {
      const place = open.pop();
      if (place?.name !== name)
        throw new Error(`the HTML of a view closes </${name}>, but </${place?.name}> must be closed first`);
      if (dropped < 0 && place.isKept) parts.push(tag);
      if (open.length <= dropped) dropped = -1;
      continue;
    }
    const isVoid = VOID.has(name) || tag.endsWith("/>");
    const kept = dropped >= 0 ? null : rewriteTag(tag, name, attributeText, text.slice(end, end + LOOK_AHEAD), resolve);
    if (dropped < 0 && kept === null && !isVoid) dropped = open.length;
    if (kept !== null) parts.push(kept);
    if (!isVoid) open.push({ name, isKept: kept !== null && kept !== "" });
  }
  parts.push(text.slice(end));
  return parts.join("");
}

/** Addresses of the forms that a static site keeps, because they search and filter lists, which works without a server. */
const SEARCHES = ["/find", "/datasets", "/researchers"];

const LOOK_AHEAD = 400;

/** Returns the address of the link that begins a list item or is a whole paragraph; null for other elements. */
function findOnlyLink(name: string, content: string): string | null {
  if (!["li", "p"].includes(name) || !content.startsWith("<a ")) return null;
  const end = content.indexOf(">");
  const isWhole = content.slice(content.indexOf("<", end)).startsWith("</a></p>");
  return name === "li" || isWhole ? (parseAttributes(content.slice(2, end)).get("href") ?? null) : null;
}

/** Matches a tag that has an attribute which the rewriting depends on. Most tags have none. */
const READ = / (?:href|src|action|method|type|property|name|data-[a-z]+)="| data-/;

/** Returns the tag for the static page; an empty text to leave out only the tags, null to leave out the element. */
function rewriteTag(tag: string, name: string, attributeText: string, after: string, resolve: Resolve): string | null {
  const only = findOnlyLink(name, after);
  if (only !== null && resolve(only) === null) return null;
  if (!READ.test(attributeText) && name !== "script") return tag;
  const attributes = parseAttributes(attributeText);
  if (name === "script" && attributes.get("type") !== "application/ld+json") return null;
  if (attributes.has("data-server")) return null;
  if (name === "form" && attributes.has("data-draft")) return "<form data-draft>";
  // Only forms that filter a list stay. The search box of the whole site then searches the datasets.
  const action = attributes.get("action") ?? "";
  if (name === "form" && (attributes.has("method") || !SEARCHES.includes(action))) return null;
  if (name === "meta" && /^(?:og:image|twitter:card)/.test(attributes.get("property") ?? attributes.get("name") ?? ""))
    return null;
  let changed = tag;
  for (const address of ADDRESSES) {
    const link = attributes.get(address);
    if (link === undefined || link === null) continue;
    const to = resolve(link === "/find" ? "/datasets" : link);
    if (to === null && name === "a") return isButton(attributes) ? null : "";
    if (to === null) return null;
    changed = changed.replace(` ${address}="${link}"`, () => ` ${address}="${to}"`);
  }
  return changed.replace(' data-suggest="/find/suggestions"', "");
}

function isButton(attributes: Attributes): boolean {
  return (attributes.get("class") ?? "").split(" ").includes("button");
}

function parseAttributes(text: string): Attributes {
  const found = text.matchAll(/([a-z][a-z0-9:-]*)(?:="([^"]*)")?/gi);
  return new Map([...found].map(([, name = "", value = null]) => [name, value]));
}
