/** Answers every route that a release has pages for: from the page where the request is canonical, else by query. */

import { datasetWords } from "../../../api-static/pages/badge.ts";
import { versionKey } from "../../../api-static/routes/path-keys.ts";
import { hasPage, type PageFile, type Route, type Subject } from "../../../api-static/routes/route.ts";
import { pageAddress } from "../../../pipeline/packs/format.ts";
import { rubricQuery } from "../../../schemas/public/api/queries.ts";
import { recordId } from "../../../schemas/public/api/record.ts";
import { researcherDetail, slug } from "../../../schemas/public/api/researcher.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type PublicVersion, publicVersion } from "../../../schemas/public/rubric.ts";
import { type Answer, contentAnswer, type PageAnswer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { PageHandler } from "../../frame/handler.ts";
import { isCanonical, readQuery } from "../../frame/reading/read-query.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";
import { type StreamForm, wantedForm, wantedStream, wantsLinkedData } from "../../frame/reading/wanted-form.ts";
import type { Standing } from "../../people/hidden/standing.ts";
import type { Standings } from "../../people/hidden/standings.ts";
import { withVerified } from "../../people/hidden/with-verified.ts";
import type { StreamPlaces } from "../listing/stream-places.ts";
import type { ActiveRelease } from "../release/active-release.ts";
import type { OpenRelease, Page } from "../release/open-release.ts";
import type { PinnedReleases } from "../release/pinned-releases.ts";
import { answerLinked } from "./answer-linked.ts";
import { answerList } from "./answer-list.ts";
import { answerStream } from "./answer-stream.ts";
import { askedLook, badgeAnswer, pinnedDigest } from "./badge-answer.ts";
import { answerWithoutPage } from "./missing-page.ts";
import { requirePublished } from "./require-published.ts";

export interface PageContext {
  readonly active: ActiveRelease;
  readonly standings: Standings;
  readonly pinned: PinnedReleases;
  readonly streams: StreamPlaces;
  /** Whether the pages for people are served. */
  readonly site: boolean;
}

/** What is at hand is answered at once; the release is held for as long as anything else takes. */
export function pageHandler({ active, standings, pinned, streams, site }: PageContext): PageHandler {
  return (route, request, reply) => {
    const { release: now } = active;
    const atHand = now === null ? null : answerFromPage(route, request, now);
    if (now !== null && atHand !== null) {
      reply.header("share-release", now.digest);
      return atHand;
    }
    return active.use(async (release) => {
      reply.header("share-release", release.digest);
      const past = await answerPinned(route, request, release, pinned);
      if (past !== null) {
        reply.header("share-release", past.digest);
        return past.answer;
      }
      const form = route.list ? wantedStream(request.headers.accept) : null;
      if (form !== null) return answerWhole(route, request, form, release, standings.current, { active, streams });
      const answer = await answerRoute(route, request, release, standings.current);
      if (!isLinked(route, request)) return answer;
      const { rubric } = rubricQuery.parse(readQuery(route, request.query));
      return answerLinked(route, answer, rubric, release.receipt, site);
    });
  };
}

/**
 * The answer of a canonical request that its page alone decides: no header, and nobody who is hidden. At once, as most
 * requests want no more; null where {@link answerRoute} has to look further.
 */
function answerFromPage(route: Route, request: ReadRequest, open: OpenRelease): Answer | null {
  const { target, query, headers } = request;
  if (route.showsResearchers || (route.list && wantedForm(headers.accept) !== "json")) return null;
  if (isLinked(route, request)) return null;
  const kept = open.answers.get(target);
  if (kept !== undefined) return kept;
  const file = route.pages.find((each) => each.query === query);
  if (file === undefined) return null;
  const key = keyOf(route, request);
  requireExisting(route, key, file.version, open);
  const found = namesPage(route, key) ? open.page(pageAddress(route, file, key ?? "")) : null;
  if (found === null) return null;
  const answer = pageAnswer(found, route);
  open.answers.set(target, answer);
  return answer;
}

function isLinked({ linkedData }: Route, { headers }: ReadRequest): boolean {
  return linkedData && wantsLinkedData(headers.accept);
}

/** A badge of the release that it names; null for all else, and for the active one, which answers by itself. */
async function answerPinned(
  route: Route,
  request: ReadRequest,
  open: OpenRelease,
  pinned: PinnedReleases,
): Promise<{ readonly answer: Answer; readonly digest: string } | null> {
  if (!("release" in route.query.shape)) return null;
  const query = readQuery(route, request.query);
  const digest = pinnedDigest(query)?.replace("-", ":") ?? open.digest;
  if (digest === open.digest) return null;
  const { rubric } = rubricQuery.parse(query);
  const { score, scoreReleaseVersion } = await pinned.scoreOf(keyOf(route, request) ?? "", rubric, digest);
  const words = datasetWords(score);
  const beside = [...words.beside, `in release ${scoreReleaseVersion}`];
  return { answer: badgeAnswer(route, { ...words, beside }, askedLook(query)), digest };
}

function pageAnswer({ body, etag }: Page, { contentType, cache }: Route): PageAnswer {
  return contentAnswer(body, contentType, cache, etag);
}

/**
 * `standing`: who is left out, and whose page says that it is theirs.
 * @throws ProblemError with the reason, where there is nothing to answer with
 */
export async function answerRoute(
  route: Route,
  request: ReadRequest,
  open: OpenRelease,
  standing: Standing,
): Promise<Answer> {
  const release = open.for(request);
  const query = readQuery(route, request.query);
  const key = keyOf(route, request);
  const version = "rubric" in query ? publicVersion.parse(query.rubric) : (route.pages[0]?.version ?? null);
  requireExisting(route, key, version, release);
  const csv = route.list && wantedForm(request.headers.accept) === "csv";
  const byQuery =
    csv || (route.list && (!isCanonical(route, request.query) || (await leavesOut(route, release, standing))));
  if (byQuery) return answerList(route, query, csv, release, standing);
  const own = "style" in route.query.shape && askedLook(query) !== null;
  const file = own ? null : fileFor(route, version, request.query);
  const isPage = file !== null && namesPage(route, key);
  const page = isPage ? release.page(pageAddress(route, file, shownKey(route, key ?? "", standing))) : null;
  const answer =
    page === null
      ? await answerWithoutPage(route, key ?? "", version, request, release, standing)
      : pageAnswer(page, route);
  return route.answer === researcherDetail ? withVerified(answer, key ?? "", standing) : answer;
}

/** All of a list, which keeps its release open and a place among the streams until it is read. */
async function answerWhole(
  route: Route,
  request: ReadRequest,
  form: StreamForm,
  open: OpenRelease,
  standing: Standing,
  { active, streams }: Pick<PageContext, "active" | "streams">,
): Promise<Answer> {
  const query = readQuery(route, request.query);
  requireExisting(route, null, rubricQuery.parse(query).rubric, open);
  const leave = streams.take(request.caller);
  const letGo = active.keep(open);
  const end = () => {
    leave();
    letGo();
  };
  try {
    return await answerStream(route, request, query, form, open, standing, end);
  } catch (error) {
    end();
    throw error;
  }
}

function keyOf({ key }: Route, { parameters }: ReadRequest): string | null {
  return key === null ? null : (parameters[key.name] ?? "");
}

/** @throws ProblemError where the rubric asked for does not exist, or the release does not publish what was asked for */
function requireExisting(route: Route, key: string | null, version: PublicVersion | null, open: OpenRelease): void {
  if (route.key === versionKey) requireRubricName(key);
  requirePublished(open.receipt, route, version);
}

/** Whether pages of the list show, or count, somebody who is hidden: then no page of it is right. */
async function leavesOut(route: Route, release: OpenRelease, { hidden }: Standing): Promise<boolean> {
  return route.showsResearchers && (await release.hidden.positionsOf(hidden)) !== null;
}

/**
 * The key whose page is looked for: of who is hidden one that nobody has, so that their answer is made as for a slug that
 * nobody has, in as much time. Which slugs can be theirs is known without a look-up.
 */
function shownKey({ subject }: Route, key: string, { hidden }: Standing): string {
  return subject === "researcher" && hidden.mayHave(key) ? `~${key.slice(1)}` : key;
}

/** Only a key that is one, and that can name a file, ever becomes part of a path. */
function namesPage({ key: pathKey, subject }: Route, key: string | null): boolean {
  if (key === null || pathKey === null) return true;
  return pathKey.schema.safeParse(key).success && isKeyOf(subject, key) && hasPage(key);
}

function isKeyOf(subject: Subject | null, key: string): boolean {
  if (subject === "record") return recordId.safeParse(key).success;
  return subject !== "researcher" || slug.safeParse(key).success;
}

/**
 * A list has a page for each canonical query, everything else one for each version, however it is asked for; null for
 * badges of a version that has none.
 */
function fileFor(route: Route, version: PublicVersion | null, query: string): PageFile | null {
  return route.pages.find((page) => (route.list ? page.query === query : page.version === version)) ?? null;
}

/** An unknown rubric is 400, not 404 (interface.md, "Errors"). */
function requireRubricName(name: string | null): void {
  const known: readonly (string | null)[] = [...PUBLIC_VERSIONS, ...CONTRACTS];
  if (known.includes(name)) return;
  const { problem, detail } = versionKey.unknown;
  throw new ProblemError(problem, detail, {
    errors: [{ path: versionKey.name, message: `must be one of ${known.join(", ")}` }],
  });
}
