/** Markup that is made once for what it shows, and remembered: of 25 signals of a dataset, most are as they are elsewhere. */

import { LRUCache } from "lru-cache";
import { Html } from "../html.ts";

/** Some 500 characters each. */
const MOST = 10_000;

/** The same function, given values that JSON tells apart. */
export function remembered<Shown extends readonly unknown[]>(
  make: (...shown: Shown) => Html,
): (...shown: Shown) => Html {
  const kept = new LRUCache<string, Html>({ max: MOST });
  return (...shown) => {
    const key = JSON.stringify(shown);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = inOnePiece(make(...shown));
    kept.set(key, made);
    return made;
  };
}

/** A text put together of many is only joined when it is read: once here, and not on every page it is part of. */
function inOnePiece({ text }: Html): Html {
  return new Html(Buffer.from(text).toString());
}
