/** The page behind the `type` of every problem: what it means and what a client can do. */

import { PROBLEM_ADVICE } from "../../../api-static/pages/problem-advice.ts";
import { problemKey } from "../../../api-static/routes/path-keys.ts";
import { CACHE, HTML_TYPE } from "../../../api-static/routes/route.ts";
import { PROBLEMS, type ProblemType } from "../../../schemas/public/problem.ts";
import { problemTypePage } from "../../../web/views/problem.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { jsonAnswer } from "../../frame/answering/json-answer.ts";
import { unknownKey } from "../../frame/read-asked.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import { prefersHtml } from "../../frame/reading/wanted-form.ts";

/** HTML for people, JSON for programs. */
export function answerProblemPage(name: string, request: ReadRequest): Answer {
  const type = typeOf(name);
  const page = { type: `/problems/${type}`, ...PROBLEMS[type], advice: PROBLEM_ADVICE[type] };
  if (!prefersHtml(request)) return jsonAnswer(page, CACHE.page);
  return contentAnswer(Buffer.from(problemTypePage(page)), HTML_TYPE, CACHE.page);
}

function typeOf(name: string): ProblemType {
  const known = Object.keys(PROBLEM_ADVICE).find((type): type is ProblemType => type === name);
  if (known !== undefined) return known;
  throw unknownKey(problemKey);
}
