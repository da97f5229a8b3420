/** A problem as a page, for who asks with a browser: the words of the document, and a way on. */

import { CACHE, HTML_TYPE } from "../../api-static/routes/route.ts";
import { returnPath } from "../../schemas/public/account/sign-in.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { documentOf, type View } from "../../web/components/document.ts";
import { problemView } from "../../web/views/problem.ts";
import { type Answer, contentHeaders, ProblemError } from "../http/answer.ts";
import type { Refused } from "../http/problem-answer.ts";
import type { ReadRequest } from "../http/read-request.ts";
import { type Made, PAGE_HEADERS, pageAnswer, type SiteContext, seeOther, surroundings } from "./page-handler.ts";

/** Who is not signed in is led to where they can be, and from there back. */
export function problemPage(
  { problem, method, target, retryAfter, referer }: Refused,
  context: Pick<SiteContext, "signIn" | "active">,
): Answer {
  const isRead = method === "GET" || method === "HEAD";
  if (problem.type === "/problems/no-session") {
    const back = isRead ? target : pathOf(referer, context);
    return seeOther(`/sign-in?${new URLSearchParams({ returnTo: back })}`);
  }
  const view = problemView(
    problem,
    retryAfter === undefined ? null : Number(retryAfter),
    isRead && returnPath.safeParse(target).success ? target : null,
  );
  const body = Buffer.from(documentOf(view, surroundings({ path: problem.instance }, context)));
  return { status: problem.status, headers: { ...contentHeaders(HTML_TYPE, CACHE.never), ...PAGE_HEADERS }, body };
}

/** The page that a form was sent from, as far as browsers tell. */
function pathOf(referer: string | undefined, { signIn }: Pick<SiteContext, "signIn">): string {
  if (referer === undefined || !URL.canParse(referer)) return "/me";
  const { origin, pathname, search } = new URL(referer);
  return signIn.site.isOwn(origin) ? pathname + search : "/me";
}

/** Problems that send people elsewhere, and are no fault of what they typed. */
const ELSEWHERE: readonly string[] = ["no-session", "wrong-origin", "internal"];

/** A form that could not be taken is shown again, with what was typed and with why; its own page, not one of errors. */
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
