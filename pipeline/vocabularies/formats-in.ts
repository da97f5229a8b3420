// Formats are stated as media types, extensions or plain words, alone or in a sentence.
import { withoutSpacedEnd } from "./ends.ts";
import { plainKey } from "./keys.ts";

const MEDIA_TYPE =
  /\b(?:application|audio|chemical|font|image|message|model|multipart|text|video)\/[a-z0-9][a-z0-9.+-]*/g;

/** As much of a statement as is read. */
const LONGEST_FORMAT = 500;

/**
 * The keys to look a stated format up by: every media type it names (`… .dat - text/plain`) with its structured-syntax
 * suffix (`+json`, RFC 6839); where it names none, the text itself and each item of a list, without dot or "file".
 */
export function formatsIn(format: string): string[] {
  const text = plainKey(format.slice(0, LONGEST_FORMAT));
  const types = text.match(MEDIA_TYPE) ?? [];
  if (types.length > 0) return types.flatMap((type) => [type, type.replace(/^[^+]*/, "")]);
  return [text, bareFormat(text), ...text.split(/[,;/()]| and | or /).map(bareFormat)];
}

function bareFormat(text: string): string {
  const bare = text.trim().replace(/^\*?\./, "");
  const word = /[\s-](?:files?|formats?)$/.exec(bare)?.[0];
  return word === undefined ? bare : withoutSpacedEnd(bare.slice(0, -word.length), "-");
}
