/** A handler that answers with a page: made by a view, kept where it is everybody's, led on where the API leads on. */

import { pageFor, routeNamed, type SiteRouteName } from "../../../api-static/routes/index.ts";
import { CACHE } from "../../../api-static/routes/route.ts";
import type { Surroundings, View } from "../../../web/components/document.ts";
import { type Answer, redirectAnswer } from "../../frame/answering/answer.ts";
import type { Asked, Handler, Replying } from "../../frame/handler.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import { pageAnswer } from "./answer-page.ts";
import { Asking, Moved } from "./asking.ts";
import type { SiteContext } from "./context.ts";

export type Made = View | Answer;

type Maker<Name extends SiteRouteName> = (asked: Asked<Name>, api: Asking) => Promise<Made>;

/** `make` gives a view, or an answer where it is no page. */
export function pageHandler<Name extends SiteRouteName>(
  name: Name,
  context: SiteContext,
  make: Maker<Name>,
): Handler<Name> {
  const { cache, method } = routeNamed(name);
  const isKept = cache !== CACHE.never && method === "get";
  const { kept } = context;
  const anew = async (asked: Asked<Name>, reply: Replying) => {
    const { request } = asked;
    const { moment } = kept;
    try {
      const made = await make(asked, new Asking(context.ask, { request, reply }));
      if ("status" in made) return made;
      const answer = pageAnswer(made, surroundings(request, context), cache);
      const { digest } = context.active;
      const named = digest === null ? answer : { ...answer, headers: { ...answer.headers, "share-release": digest } };
      if (isKept) kept.set(request.target, named, moment);
      return named;
    } catch (error) {
      if (error instanceof Moved) return movedOn(error, request);
      throw error;
    }
  };
  return (asked, reply) => (isKept ? kept.get(asked.request.target) : undefined) ?? anew(asked, reply);
}

export function surroundings(
  { path }: Pick<ReadRequest, "path">,
  { signIn, active }: Pick<SiteContext, "signIn" | "active">,
): Surroundings {
  const receipt = active.release?.receipt;
  if (receipt === undefined) return { origin: signIn.site.origin, path, release: null };
  const { scoreReleaseVersion: version, asOf, releaseDigest } = receipt;
  const release = { version, asOf, retraction: active.retractions.get(releaseDigest) ?? null };
  return { origin: signIn.site.origin, path, release };
}

/** After a form was sent: to a page, which is asked for anew. */
export function seeOther(location: string): Answer {
  return { status: 303, headers: { location, "cache-control": CACHE.never }, body: null };
}

function movedOn({ route, key }: Moved, { query }: ReadRequest): Answer {
  const page = pageFor(route);
  if (page === null) throw new Error(`nobody sees ${route} on a page`);
  const path = page.path.replace(/\{\w+\}/, encodeURIComponent(key));
  return redirectAnswer(query === "" ? path : `${path}?${query}`, page.cache);
}
