/** A problem as a page, for who asks with a browser: the words of the document, and a way on. */

import { CACHE, HTML_TYPE } from "../../../api-static/routes/route.ts";
import { returnPath } from "../../../schemas/public/account/return-path.ts";
import { documentOf } from "../../../web/components/document.ts";
import { problemView } from "../../../web/views/problem.ts";
import { type Answer, contentHeaders } from "../../frame/answering/answer.ts";
import type { Refused } from "../../frame/problem-answer.ts";
import { PAGE_HEADERS } from "./answer-page.ts";
import type { SiteContext } from "./context.ts";
import { seeOther, surroundings } from "./page-handler.ts";

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
