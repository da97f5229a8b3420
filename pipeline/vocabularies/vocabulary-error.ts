/** The error of a vocabulary file that cannot be used: it names the file, the line and what was seen there. */
export class VocabularyError extends Error {
  readonly code = "vocabulary_invalid";
  readonly file: string;
  readonly line: number;

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
    this.name = "VocabularyError";
    this.file = file;
    this.line = line;
  }
}
