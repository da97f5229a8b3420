/** The id under which the active release lists a record: what lost its place to another is known as that. */

import { recordId } from "../../../schemas/public/api/record.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { ActiveRelease } from "../../read/release/active-release.ts";

/** @throws ProblemError `dataset-not-found`, `no-release` */
export async function listedRecord(id: string, active: ActiveRelease): Promise<string> {
  const fate = await active.use(async ({ lookups }) =>
    recordId.safeParse(id).success ? lookups.recordFate(id) : ({ fate: "unknown" } as const),
  );
  if (fate.fate === "listed") return id;
  if (fate.fate === "alias") return fate.winner;
  throw new ProblemError("dataset-not-found", "The active release lists no dataset of this id.");
}
