/** The page behind the `type` of every problem: what it means and what a client can do. */

import { PROBLEM_ADVICE } from "../../api-static/problem-advice.ts";
import { problemHtml } from "../../api-static/problem-page.ts";
import { CACHE, HTML_TYPE } from "../../api-static/route.ts";
import { PROBLEMS, type ProblemType } from "../../schemas/problem.ts";
import { type Answer, contentAnswer } from "../http/answer.ts";
import { jsonAnswer } from "../http/json-answer.ts";
import { ProblemError } from "../http/problem-error.ts";
import type { ReadRequest } from "../http/read-request.ts";
import { wantsHtml } from "../http/wants-html.ts";

/** HTML for people, JSON for programs. */
export async function answerProblemPage(request: ReadRequest): Promise<Answer> {
  const type = typeOf(request.parameters.type ?? "");
  const page = { type: `/problems/${type}`, ...PROBLEMS[type], advice: PROBLEM_ADVICE[type] };
  if (!wantsHtml(request)) return jsonAnswer(page, CACHE.page);
  return contentAnswer(Buffer.from(problemHtml(page)), HTML_TYPE, CACHE.page);
}

function typeOf(name: string): ProblemType {
  const known = Object.keys(PROBLEM_ADVICE).find((type): type is ProblemType => type === name);
  if (known !== undefined) return known;
  throw new ProblemError("not-found", "There is no problem of this type.");
}
