/** A handler that answers with a page: made by a view, kept where it is everybody's, led on where the API leads on. */

import { hash } from "node:crypto";
import type { z } from "zod";
import { readPage } from "../../api-static/pages/read-page.ts";
import { pageFor, type RouteName, routeNamed, type SiteRouteName } from "../../api-static/routes/index.ts";
import { CACHE, HTML_TYPE } from "../../api-static/routes/route.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { documentOf, policyOf, type Surroundings, type View } from "../../web/components/document.ts";
import type { Standings } from "../accounts/hidden/standings.ts";
import type { SignIn } from "../accounts/sign-in/index.ts";
import type { Evaluations } from "../evaluations/index.ts";
import type { Asked, Handler, Replying } from "../http/add-routes.ts";
import { type Answer, contentAnswer, type PageAnswer, ProblemError, redirectAnswer } from "../http/answer.ts";
import type { AskInProcess, For, Question } from "../http/in-process.ts";
import type { ReadRequest } from "../http/read-request.ts";
import type { ActiveRelease } from "../read/release/active-release.ts";
import type { PastReleases } from "../read/release/past-releases.ts";
import type { KeptPages } from "./kept-pages.ts";
import type { PreviewPictures } from "./preview-pictures.ts";

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

/** The same for every page; with `no-referrer`, browsers would hide the origin of its own forms. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": policyOf((text) => hash("sha256", text, "base64")),
  "referrer-policy": "same-origin",
};

export function pageAnswer(
  view: View,
  around: Surroundings,
  cache: string,
  status = 200,
): PageAnswer & { status: number } {
  const { headers, body } = contentAnswer(Buffer.from(documentOf(view, around)), HTML_TYPE, cache);
  const { etag = "", ...without } = headers;
  // An entity tag stands for what can be asked for again.
  const kept = status === 200 && cache !== "no-store" ? { ...without, etag } : without;
  const links = view.links === undefined ? {} : { link: view.links };
  return { status, body, headers: { ...kept, ...PAGE_HEADERS, ...links } };
}

/** The API leads elsewhere: another key of the same address. */
export class Moved extends Error {
  readonly code = "moved";
  readonly route: RouteName;
  readonly key: string;

  constructor(route: RouteName, location: string) {
    super(`${route} leads to ${location}`);
    this.route = route;
    this.key = decodeURIComponent(new URL(location, "http://localhost").pathname.split("/").at(-1) ?? "");
  }
}

export class Asking {
  readonly #ask: AskInProcess;
  readonly #who: For;

  constructor(ask: AskInProcess, who: For) {
    this.#ask = ask;
    this.#who = who;
  }

  /**
   * What an address answers, read by its schema.
   * @throws ProblemError as the address would answer with; Moved where it leads elsewhere
   */
  async get<Schema extends z.ZodType>(
    schema: Schema,
    name: RouteName,
    question: Question = {},
  ): Promise<z.infer<Schema>> {
    const answer = await this.answer(name, question);
    if (answer.headers.location !== undefined && answer.status >= 300) throw new Moved(name, answer.headers.location);
    return readPage(schema, JSON.parse(await textOf(answer)));
  }

  /** The same, null where the address answers with one of these problems. */
  async getUnless<Schema extends z.ZodType>(
    problems: readonly string[],
    schema: Schema,
    name: RouteName,
    question: Question = {},
  ): Promise<z.infer<Schema> | null> {
    try {
      return await this.get(schema, name, question);
    } catch (error) {
      if (error instanceof ProblemError && problems.includes(error.type)) return null;
      throw error;
    }
  }

  /** The answer as it is. */
  answer(name: RouteName, question: Question = {}): Promise<Answer> {
    return this.#ask(name, question, this.#who);
  }
}

/** The whole of a body that is at hand or in a file. */
async function textOf({ body }: Answer): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  if (body === null || !("file" in body)) throw new Error("an answer without a whole body is no object");
  try {
    const bytes = Buffer.alloc(body.length);
    await body.file.read(bytes, 0, body.length, body.start);
    return bytes.toString("utf8");
  } finally {
    await body.file.close();
  }
}

/** The parts of the server that pages are made with. */
export interface SiteContext {
  readonly ask: AskInProcess;
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly signIn: SignIn;
  readonly evaluations: Evaluations;
  readonly kept: KeptPages;
  readonly past: PastReleases;
  readonly pictures: PreviewPictures;
  readonly now: Effects["now"];
  /** The operator's email address or https URL; null if unset. */
  readonly contact: string | null;
}
