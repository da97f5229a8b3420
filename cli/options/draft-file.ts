/** Files with metadata that are not deposited yet, and whose they are: by option, by name, or by shape. */

import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { sourcesOfDraft, whyNoDraft } from "../../pipeline/evaluate/draft.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { LARGEST_DRAFT } from "../../schemas/public/api/evaluation.ts";
import { sourceNames } from "./asked-source.ts";
import { UsageError } from "./exit-codes.ts";

export interface DraftFile {
  readonly source: Source;
  readonly file: Buffer;
}

/** Names that files of metadata have beside the data of a repository, and where each is read. */
const BY_NAME: readonly { readonly name: RegExp; readonly source: string }[] = [
  { name: /^\.zenodo\.json$/i, source: "zenodo" },
  { name: /^datacite\.json$/i, source: "datacite" },
  { name: /^dataset_description\.json$/i, source: "openneuro" },
  { name: /^eml\.xml$|\.eml(?:\.xml)?$/i, source: "edi" },
];

/** What nobody would write for an identifier: an ending of drafts, or a path. */
const LIKE_A_FILE = /\.(?:json|xml|eml)$|^(?:\.{0,2}|~)\//i;

/** The file called `what`, or null where there is none and it may be something else. */
export async function draftFile(what: string, source: Source | null): Promise<DraftFile | null> {
  const found = await stat(what).catch(() => null);
  if (found === null) {
    if (LIKE_A_FILE.test(what) && !what.includes("://")) throw new UsageError(`there is no file ${what}`);
    return null;
  }
  if (!found.isFile()) throw new UsageError(`${what} is no file; give a file with the metadata of one record`);
  if (found.size > LARGEST_DRAFT)
    throw new UsageError(`${what} has more than ${LARGEST_DRAFT} bytes, the limit of a draft`);
  const file = await readFile(what);
  return { source: source ?? byName(what) ?? recognised(what, file), file };
}

function byName(what: string): Source | null {
  const known = BY_NAME.find(({ name }) => name.test(basename(what)));
  return known === undefined ? null : sourceNamed(known.source);
}

/** The source whose shape a file has, where it is that of one alone. */
function recognised(what: string, file: Buffer): Source {
  const names = sourcesOfDraft(file);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  const why = only === undefined ? whyNoDraft(file) : null;
  if (why !== null) throw new UsageError(`${what} ${why}`);
  const like = only === undefined ? "" : ` (it could be for ${names.map(({ name }) => name).join(" or ")})`;
  throw new UsageError(`${what} is a draft: say with --source whose, one of ${sourceNames()}${like}`);
}
