/** Inputs that the fuzz tests mutate: the bundled payloads and the malformed files, each with its source. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PAYLOADS, REPOSITORY } from "../../support/bundled-corpus.ts";

export interface Sample {
  readonly source: string;
  readonly name: string;
  readonly bytes: Buffer;
}

function filesIn(folder: string): { readonly name: string; readonly bytes: Buffer }[] {
  return readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

export function samples(): Sample[] {
  const sources = readdirSync(PAYLOADS);
  const junk = filesIn(join(REPOSITORY, "fixtures/junk"));
  return sources.flatMap((source) =>
    [...filesIn(join(PAYLOADS, source)), ...junk].map((file) => ({ source, ...file })),
  );
}
