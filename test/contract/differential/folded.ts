/** Plain-text matching as decisions.md puts it, written anew: nothing of the service's own folding is used. */

/** Letters that lose a stroke or come apart where no accent can be stripped. */
const LETTERS: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ı: "i",
};

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const DOI = /^(?:doi:\s*|(?:https?:\/\/)?(?:dx\.)?doi\.org\/)?(10\.\d{4,9}\/\S+)$/i;

/** NFKC, case folded, accents stripped. */
function fold(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").normalize("NFD").replace(/\p{M}/gu, "");
  return Array.from(plain, (letter) => LETTERS[letter] ?? letter).join("");
}

/** Each text is split once: a corpus is searched hundreds of times. */
const split = new Map<string, readonly string[]>();

function words(text: string): readonly string[] {
  const known = split.get(text);
  if (known !== undefined) return known;
  const made = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  split.set(text, made);
  return made;
}

/** Words between spaces and punctuation; those of unspaced text stand by themselves. */
function spacedWords(text: string): Set<string> {
  return new Set(
    words(text)
      .flatMap((word) => word.split(UNSPACED))
      .filter((word) => word !== ""),
  );
}

/** Whether text (and a DOI, where it has one) is found by a search; a search without letter or digit finds all. */
export function found(search: string, text: string | null, doi: string | null = null): boolean {
  return search.split(/\s+/u).every((term) => {
    const [, prefix] = DOI.exec(term) ?? [];
    if (prefix !== undefined) return doi?.startsWith(prefix.toLowerCase()) ?? false;
    return words(term).every((word) => foundWord(word, text ?? ""));
  });
}

function foundWord(word: string, text: string): boolean {
  if (UNSPACED.test(word)) return words(text).some((other) => other.includes(word));
  return spacedWords(text).has(word);
}
