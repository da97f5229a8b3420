/** Which pack a page is in: a family of packs by route and version, and in it the pack of a range of places. */

import { type PageFile, pagePath, type Route } from "../../api-static/routes/route.ts";

/** Where a page is: its family, and its key there. */
export interface PageAddress {
  readonly family: string;
  readonly key: string;
}

/** Pages that name the release are few, and in one pack, by the path that a tree of files has for them. */
export const RELEASE_FAMILY = "release";

/** `file` is one of the route's. */
export function pageAddress(route: Route, file: PageFile, key: string): PageAddress {
  if (route.subject === "release") return { family: RELEASE_FAMILY, key: pagePath(route, file, key) };
  return { family: `${file.version}/${route.name}`, key };
}

/** How many packs the pages of a subject are in: one below 2,000 keys, sixteen up to ten million, then sixty-four. */
export function splitOf(keys: number): Split {
  if (keys < 2000) return 1;
  return keys <= 10_000_000 ? 16 : 64;
}

/** By how many hex digits the names of their packs end with. */
export const SPLITS = [1, 16, 64] as const;
export type Split = (typeof SPLITS)[number];

/** Places from `from` up to, not including, `to`, as hex digits; `name` is what the names of their packs end with. */
export interface PlaceRange {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** The ranges of so many packs, in order. */
export function rangesOf(split: Split): readonly PlaceRange[] {
  if (split === 1) return [{ name: "", from: "", to: "g" }];
  const digits = split === 16 ? 1 : 2;
  const width = 16 ** digits / split;
  const bound = (place: number) => (place === split ? "g" : (place * width).toString(16).padStart(digits, "0"));
  return Array.from({ length: split }, (_, place) => ({
    name: `.${bound(place)}`,
    from: bound(place),
    to: bound(place + 1),
  }));
}

/** Path of a pack below the release folder. */
export function packPath(family: string, { name }: Pick<PlaceRange, "name"> = { name: "" }): string {
  return `pages/${family}${name}.zst`;
}

const PACK = /^pages\/(?<family>release|[0-9]+\.[0-9]+\/[a-z-]+)(?:\.(?<from>[0-9a-f]|[0-9a-f][048c]))?\.zst$/;

/** The family of a pack and the range of its places, from its path; null for any other file. */
export function readPackPath(path: string): (PlaceRange & { readonly family: string }) | null {
  const { family, from = "" } = PACK.exec(path)?.groups ?? {};
  if (family === undefined) return null;
  const split = SPLITS[from.length];
  const range = split === undefined ? undefined : rangesOf(split).find((each) => each.from === from);
  return range === undefined ? null : { family, ...range };
}
