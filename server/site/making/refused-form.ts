/** A form that could not be taken is shown again, with what was typed and with why; its own page, not one of errors. */

import { CACHE } from "../../../api-static/routes/route.ts";
import type { Problem } from "../../../schemas/public/problem.ts";
import type { View } from "../../../web/components/document.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import { pageAnswer } from "./answer-page.ts";
import type { SiteContext } from "./context.ts";
import { type Made, surroundings } from "./page-handler.ts";

/** Problems that send people elsewhere, and are no fault of what they typed. */
const ELSEWHERE: readonly string[] = ["no-session", "wrong-origin", "internal"];

export async function orShowAgain(
  work: () => Promise<Made>,
  again: (problem: Problem) => Promise<View> | View,
  request: ReadRequest,
  context: SiteContext,
): Promise<Made | Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError) || ELSEWHERE.includes(error.type)) throw error;
    const view = await again(error.document(request.path));
    const answer = pageAnswer(view, surroundings(request, context), CACHE.never, error.status);
    return { ...answer, headers: { ...answer.headers, ...error.headers } };
  }
}
