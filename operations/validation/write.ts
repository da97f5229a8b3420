/** validation.json and its page, as files of a release: outside its digest, since they follow from its tables. */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DuckDBOptions } from "../../pipeline/engine/open.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { VALIDATION_FILE, VALIDATION_PAGE, type Validation } from "../../schemas/public/validation.ts";
import { validationPage } from "../../web/report/validation.ts";
import { type Validated, validate } from "./index.ts";

/** Computes and writes both below the tree. */
export async function writeValidation(
  tree: string,
  release: Validated & { readonly receipt: Pick<Receipt, "scoreReleaseVersion"> },
  options: DuckDBOptions,
): Promise<Validation> {
  const found = await validate(release, options);
  await mkdir(dirname(join(tree, VALIDATION_FILE)), { recursive: true });
  await writeFile(join(tree, VALIDATION_FILE), `${JSON.stringify(found)}\n`);
  await writeFile(join(tree, VALIDATION_PAGE), validationPage(found, release.receipt.scoreReleaseVersion));
  return found;
}
