/** A cache for markup. Most of the 25 signals of a dataset have the same markup as in other datasets. */

import { LRUCache } from "lru-cache";
import { Html } from "../html.ts";
import { language } from "../languages/translate.ts";

/** Largest number of entries. Each has about 500 characters. */
const MAX_ENTRIES = 10_000;

/** Returns a function that caches the markup of `make` by the language and the JSON of the arguments. */
export function memoise<Arguments extends readonly unknown[]>(
  make: (...values: Arguments) => Html,
): (...values: Arguments) => Html {
  const cache = new LRUCache<string, Html>({ max: MAX_ENTRIES });
  return (...values) => {
    const key = language() + JSON.stringify(values);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const made = flattened(make(...values));
    cache.set(key, made);
    return made;
  };
}

/** Returns the markup as one contiguous string. Otherwise V8 would join its pieces again for every document. */
function flattened({ text }: Html): Html {
  return new Html(new TextDecoder().decode(new TextEncoder().encode(text)));
}
