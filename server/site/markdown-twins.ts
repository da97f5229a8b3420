/** The Markdown twins of pages, and /llms.txt. */

import { openApi } from "../../api-static/openapi/index.ts";
import { CACHE, MARKDOWN_TYPE, referenceKey } from "../../api-static/routes/route.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { type RubricDescriptor, rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { underVersion } from "../../web/components/navigation.ts";
import { type ReferenceTwin, referenceIndexTwin, referenceTwins } from "../../web/reference/twins.ts";
import {
  datasetMarkdown,
  llmsText,
  type SourceOfSignal,
  signalMarkdown,
  signalsMarkdown,
} from "../../web/views/markdown-twins.ts";
import { prefersMarkdown } from "../http/content-negotiation.ts";
import type { ApiRequest } from "../http/read-request.ts";
import { contentResponse, type HttpResponse, redirectResponse } from "../http/response.ts";
import { type Handlers, unknownKey } from "../http/routes.ts";
import { questionsOf } from "./datasets.ts";
import { type ApiClient, ApiRedirect, type SiteContext, surroundings, viewHandler } from "./page-handler.ts";

type State = Pick<SiteContext, "signIn" | "active">;

/** The release is named, because only twins of the reference do not depend on it. */
function markdownResponse(
  text: string,
  { active }: State,
  type = MARKDOWN_TYPE,
  cache: string = CACHE.page,
): HttpResponse {
  const response = contentResponse(Buffer.from(text), type, cache);
  const { digest } = active;
  return digest === null ? response : { ...response, headers: { ...response.headers, "share-release": digest } };
}

/** Returns a handler that responds with the twin of a page if the client prefers Markdown. */
export function orTwin<Typed extends { readonly request: ApiRequest }, Reply>(
  page: (typedRequest: Typed, reply: Reply) => HttpResponse | Promise<HttpResponse>,
  twin: (typedRequest: Typed, reply: Reply) => HttpResponse | Promise<HttpResponse>,
): (typedRequest: Typed, reply: Reply) => HttpResponse | Promise<HttpResponse> {
  return (typedRequest, reply) => (prefersMarkdown(typedRequest.request) ? twin : page)(typedRequest, reply);
}

export async function makeDatasetMarkdown(
  { key, version }: { readonly key: string; readonly version: PublicVersion },
  request: ApiRequest,
  api: ApiClient,
  context: State,
): Promise<HttpResponse> {
  try {
    const record = await api.get(recordDetail, "record", { key, query: { rubric: version } });
    const text = datasetMarkdown(record, version, await questionsOf(version, api), surroundings(request, context));
    return markdownResponse(text, context, MARKDOWN_TYPE, CACHE.person);
  } catch (error) {
    if (!(error instanceof ApiRedirect)) throw error;
    return redirectResponse(underVersion(`/datasets/${error.key}.md`, version), CACHE.page);
  }
}

export async function makeSignalsMarkdown(
  version: PublicVersion,
  api: ApiClient,
  context: State,
): Promise<HttpResponse> {
  return markdownResponse(signalsMarkdown(await api.get(rubricDescriptor, "rubric", { key: version })), context);
}

export function makeSignalMarkdown(
  rubric: RubricDescriptor,
  signal: RubricDescriptor["signals"][number],
  sources: readonly SourceOfSignal[],
  context: State,
): HttpResponse {
  return markdownResponse(signalMarkdown(rubric, signal, sources), context);
}

/** Handlers of the twins of the API reference, which are made once, and of /llms.txt. */
export function referenceTwinHandlers(
  context: SiteContext,
): Handlers<"llms" | "docs-markdown" | "docs-group-markdown"> {
  let made: { readonly index: string; readonly pages: readonly ReferenceTwin[] } | null = null;
  const twins = () => {
    if (made !== null) return made;
    const document = openApi(context.contact);
    const pages = referenceTwins(document);
    made = { index: referenceIndexTwin(document, pages), pages };
    return made;
  };
  const answer = (text: string) => contentResponse(Buffer.from(text), MARKDOWN_TYPE, CACHE.page);
  return {
    llms: viewHandler("llms", context, async (_asked, api) => {
      const rubric = await api.get(rubricDescriptor, "rubric", { key: PUBLIC_VERSIONS[0] });
      const text = llmsText(rubric, twins().pages, context.signIn.site.origin);
      return markdownResponse(text, context, "text/plain; charset=utf-8");
    }),
    "docs-markdown": () => answer(twins().index),
    "docs-group-markdown": ({ key }) => {
      const page = twins().pages.find(({ name }) => name === key);
      if (page === undefined) throw unknownKey(referenceKey);
      return answer(page.text);
    },
  };
}
