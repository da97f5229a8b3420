/** Somebody with a browser who comes to an address of programs is led to its page for people. */

import { CACHE, type Route } from "../../api-static/routes/route.ts";
import { redirectAnswer } from "./answering/answer.ts";
import type { Answering } from "./handler.ts";
import type { ReadRequest } from "./reading/read-request.ts";
import { prefersHtml, wantsLinkedData } from "./reading/wanted-form.ts";

/** The answers of `route`, and for browsers the way to `page`, its key and its query kept. */
export function leadToPage(route: Route, page: Route, answer: Answering): Answering {
  const forPrograms = Object.keys(route.query.shape).filter((name) => !(name in page.query.shape));
  return (request, reply) => {
    if (!prefersHtml(request) || comesFromHere(request)) return answer(request, reply);
    if (route.linkedData && wantsLinkedData(request.headers.accept)) return answer(request, reply);
    // The page could not show what was asked for.
    const asked = forPrograms.length === 0 || request.query === "" ? null : new URLSearchParams(request.query);
    if (asked !== null && forPrograms.some((name) => asked.has(name))) return answer(request, reply);
    const key = Object.values(request.parameters)[0] ?? "";
    const path = page.path.replace(/\{\w+\}/, encodeURIComponent(key));
    return redirectAnswer(request.query === "" ? path : `${path}?${request.query}`, CACHE.never, 307);
  };
}

/** Who follows the link to the JSON on one of our pages wants the JSON; browsers say so (Fetch Metadata). */
function comesFromHere({ headers }: Pick<ReadRequest, "headers">): boolean {
  return headers["sec-fetch-site"] === "same-origin";
}
