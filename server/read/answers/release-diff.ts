/** What moved from one release to the next: a file of the later one, under an address of its own. */

import { DIFF_FILE } from "../../../schemas/public/api/diff.ts";
import type { Answer } from "../../frame/answer.ts";
import type { ReadRequest } from "../../frame/read-request.ts";
import type { ServerContext } from "../../server-context.ts";
import { answerReleaseFile } from "./release-files.ts";

/** Like any file of the release: immutable, with ranges and an entity tag; 404 where it was made without a diff. */
export function answerReleaseDiff(request: ReadRequest, context: ServerContext): Promise<Answer> {
  return answerReleaseFile({ ...request, parameters: { ...request.parameters, "*": DIFF_FILE } }, context);
}
