// How a file name falls into directories, stem, extension and words; file kinds and descriptive names agree on it.

/** The longest name a file system holds, in characters; of anything longer only the end is read. */
const LONGEST_NAME = 255;

/** The name without its directories, in composed form, its case kept. */
export function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.slice(-LONGEST_NAME).normalize("NFC");
}

/** Everything after each dot but a leading one, longest first: `brain.nii.gz` gives `nii.gz` and `gz`. */
export function suffixesOf(name: string): string[] {
  const suffixes: string[] = [];
  for (let dot = name.indexOf(".", 1); dot !== -1; dot = name.indexOf(".", dot + 1)) suffixes.push(name.slice(dot + 1));
  return suffixes;
}

/** The name before its extension: the longest listed one, else a last suffix that looks like one (`v1.2` has none). */
export function stemOf(name: string, isListed: (extension: string) => boolean): string {
  const suffixes = suffixesOf(name);
  const extension = suffixes.find((suffix) => isListed(suffix.toLowerCase())) ?? suffixes.findLast(looksLikeExtension);
  return extension === undefined ? name : name.slice(0, -extension.length - 1);
}

function looksLikeExtension(suffix: string): boolean {
  return /^(?=.*\p{L})[\p{L}\p{N}]{1,10}$/u.test(suffix);
}

/** The words of a stem, lower case: split at separators and where letters meet digits. */
export function wordsOf(stem: string): string[] {
  return (
    stem
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  );
}

/** Whether a word is a number and nothing else. */
export function isNumber(word: string): boolean {
  return /^\p{N}+$/u.test(word);
}
