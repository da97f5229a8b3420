/** What other sites embed: the card of a dataset, and the answer that tells them of it. */

import { hash } from "node:crypto";
import { CACHE, HTML_TYPE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import { type RecordDetail, recordDetail } from "../../../schemas/public/api/record.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../../schemas/public/rubric.ts";
import { FRAME, oembed, type Theme } from "../../../schemas/public/site/embeds.ts";
import { CARD } from "../../../web/frame/view.ts";
import { cardFrame } from "../../../web/pages/card-frame.ts";
import { cardWords } from "../../../web/pages/dataset-card.ts";
import { cardPolicy, scoreCard } from "../../../web/pages/score-card.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Asked } from "../../frame/handler.ts";
import { type Asking, Moved } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { surroundings } from "../making/page-handler.ts";
import { askedVersion } from "./asked-version.ts";
import { oembedXml } from "./oembed-xml.ts";

const POLICY = cardPolicy((text) => hash("sha256", text, "base64"));

const OEMBED_XML_TYPE = "text/xml; charset=utf-8";

/** Seconds for which other sites keep what they were told: as long as badges. */
const CACHE_AGE = 300;

/** What is embedded follows a dataset that gave way to another: nobody looks at the address. */
export async function recordOf(
  { key, version }: { readonly key: string; readonly version: PublicVersion },
  api: Asking,
): Promise<RecordDetail> {
  const get = (id: string) => api.get(recordDetail, "record", { key: id, query: { rubric: version } });
  return get(key).catch((error: unknown) => {
    if (error instanceof Moved) return get(error.key);
    throw error;
  });
}

export async function makeScoreCard(
  {
    key,
    query,
    request,
  }: {
    readonly key: string;
    readonly query: { readonly rubric: string; readonly theme: Theme };
    readonly request: Asked<"score-card">["request"];
  },
  api: Asking,
  context: SiteContext,
): Promise<Answer> {
  const version = askedVersion(query.rubric);
  const record = await recordOf({ key, version }, api);
  const text = scoreCard({ record, version, theme: query.theme }, surroundings(request, context));
  const { status, headers, body } = contentAnswer(Buffer.from(text), HTML_TYPE, CACHE.badge);
  return { status, headers: { ...headers, "content-security-policy": POLICY }, body };
}

/** @throws ProblemError `not-found` for an address that is of no dataset of ours (oEmbed 1.0, 2.3.4) */
export async function makeOembed(
  { query }: Asked<"oembed">,
  api: Asking,
  { signIn }: Pick<SiteContext, "signIn">,
): Promise<Answer> {
  const { origin } = signIn.site;
  const id = datasetAt(query.url, origin);
  const { maxwidth = FRAME.width, maxheight = FRAME.height } = query;
  if (maxwidth < FRAME.least || maxheight < FRAME.height) {
    const least = `${FRAME.least} pixels across and ${FRAME.height} down`;
    throw new ProblemError("not-found", `There is no card so small: the smallest has ${least}.`);
  }
  const record = await recordOf({ key: id, version: PUBLIC_VERSIONS[0] }, api);
  const width = Math.min(maxwidth, FRAME.width);
  const answer = oembed.parse({
    version: "1.0",
    type: "rich",
    title: record.title ?? record.doi ?? record.identifier,
    provider_name: "SHARE",
    provider_url: origin,
    cache_age: CACHE_AGE,
    thumbnail_url: `${origin}/datasets/${record.id}/card.png`,
    thumbnail_width: CARD.width,
    thumbnail_height: CARD.height,
    html: cardFrame({ origin, id: record.id, words: cardWords(record), theme: query.theme, width }).text,
    width,
    height: FRAME.height,
  });
  if (query.format === "xml") return contentAnswer(Buffer.from(oembedXml(answer)), OEMBED_XML_TYPE, CACHE.badge);
  return contentAnswer(Buffer.from(JSON.stringify(answer)), JSON_TYPE, CACHE.badge);
}

/** The id in the address of a dataset's page: ours, by whatever scheme. */
function datasetAt(url: string, origin: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: "", pathname: "" };
  const [, id] = /^\/datasets\/(r[0-9a-f]{24})\/?$/.exec(pathname) ?? [];
  if (id === undefined || host !== new URL(origin).host) {
    throw new ProblemError("not-found", "This is not the address of a page of a dataset here.");
  }
  return id;
}
