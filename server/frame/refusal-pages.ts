/** Somebody with a browser is told in a page what a program is told in a problem document. */

import { PROBLEM_ADVICE } from "../../api-static/pages/problem-advice.ts";
import { CACHE, HTML_TYPE } from "../../api-static/routes/route.ts";
import { refusalHtml } from "../../web/views/refusal-page.ts";
import { contentHeaders } from "./answering/answer.ts";
import { ProblemError } from "./answering/problem-error.ts";
import type { Answering } from "./handler.ts";
import { prefersHtml } from "./reading/wanted-form.ts";

/** The same answers, and refusals as pages where a browser asks for HTML. */
export function withRefusalPages(answer: Answering): Answering {
  return async (request, reply) => {
    try {
      return await answer(request, reply);
    } catch (error) {
      if (!(error instanceof ProblemError && prefersHtml(request))) throw error;
      const { type, title, status, detail } = error.document(request.path);
      const text = refusalHtml({ type, title, status, detail, advice: PROBLEM_ADVICE[error.type] });
      const headers = { ...contentHeaders(HTML_TYPE, CACHE.never), ...error.headers };
      return { status, headers, body: Buffer.from(text) };
    }
  };
}
