/** What other sites embed: cards, and the answer that tells them of these. */

import { hash } from "node:crypto";
import { decoded } from "../../../api-static/routes/decoded.ts";
import { CACHE, HTML_TYPE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../../schemas/public/rubric.ts";
import { FRAME, oembed, type Theme } from "../../../schemas/public/site/embeds.ts";
import { type Card, cardDocument, cardPolicy } from "../../../web/cards/card.ts";
import { cardFrame } from "../../../web/cards/card-frame.ts";
import { datasetCard } from "../../../web/cards/dataset-card.ts";
import { repositoryCard } from "../../../web/cards/repository-card.ts";
import { researcherCard } from "../../../web/cards/researcher-card.ts";
import { CARD } from "../../../web/frame/view.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { Asked } from "../../frame/handler.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { surroundings } from "../making/page-handler.ts";
import { askedVersion } from "./asked-version.ts";
import { recordOf, researcherOf } from "./following.ts";
import { oembedXml } from "./oembed-xml.ts";
import { figuresOf } from "./repositories.ts";

const POLICY = cardPolicy((text) => hash("sha256", text, "base64"));

const OEMBED_XML_TYPE = "text/xml; charset=utf-8";

/** What has a card, by the first part of the path of its page. */
interface Embedded {
  readonly card: (key: string, version: PublicVersion, api: Asking) => Promise<Card>;
  readonly cache: string;
  /** Seconds for which other sites keep what they were told: as long as shared caches keep the badge. */
  readonly cacheAge: number;
  /** The picture of its page, below that. */
  readonly picture: string | null;
}

const EMBEDDED = {
  datasets: {
    card: async (key, version, api) => datasetCard(await recordOf({ key, version }, api), version),
    cache: CACHE.badge,
    cacheAge: 300,
    picture: "/card.png",
  },
  repositories: {
    card: async (key, version, api) => repositoryCard(await figuresOf(key, version, api), version),
    cache: CACHE.badge,
    cacheAge: 300,
    picture: null,
  },
  researchers: {
    card: async (key, version, api) => researcherCard(await researcherOf({ key, version }, api), version),
    cache: CACHE.personBadge,
    cacheAge: 60,
    picture: null,
  },
} as const satisfies Readonly<Record<string, Embedded>>;

type Kind = keyof typeof EMBEDDED;

interface AskedCard {
  readonly key: string;
  readonly query: { readonly rubric: string; readonly theme: Theme };
  readonly request: Asked<"dataset-card">["request"];
}

export async function makeCard(
  kind: Kind,
  { key, query, request }: AskedCard,
  api: Asking,
  context: SiteContext,
): Promise<Answer> {
  const { card, cache } = EMBEDDED[kind];
  const made = await card(key, askedVersion(query.rubric), api);
  const text = cardDocument(made, query.theme, surroundings(request, context));
  const { status, headers, body } = contentAnswer(Buffer.from(text), HTML_TYPE, cache);
  return { status, headers: { ...headers, "content-security-policy": POLICY }, body };
}

/** @throws ProblemError `not-found` for an address that is of no page with a card (oEmbed 1.0, 2.3.4) */
export async function makeOembed(
  { query }: Asked<"oembed">,
  api: Asking,
  { signIn }: Pick<SiteContext, "signIn">,
): Promise<Answer> {
  const { origin } = signIn.site;
  const { kind, key } = embeddedAt(query.url, origin);
  const { maxwidth = FRAME.width, maxheight = FRAME.height } = query;
  if (maxwidth < FRAME.least || maxheight < FRAME.height) {
    const least = `${FRAME.least} pixels across and ${FRAME.height} down`;
    throw new ProblemError("not-found", `There is no card so small: the smallest has ${least}.`);
  }
  const { card, cache, cacheAge, picture } = EMBEDDED[kind];
  const { page, title, words } = await card(key, PUBLIC_VERSIONS[0], api);
  const width = Math.min(maxwidth, FRAME.width);
  const answer = oembed.parse({
    version: "1.0",
    type: "rich",
    title,
    provider_name: "SHARE",
    provider_url: origin,
    cache_age: cacheAge,
    ...(picture === null ? {} : thumbnail(`${origin}${page}${picture}`)),
    html: cardFrame({ origin, page, words, theme: query.theme, width }).text,
    width,
    height: FRAME.height,
  });
  if (query.format === "xml") return contentAnswer(Buffer.from(oembedXml(answer)), OEMBED_XML_TYPE, cache);
  return contentAnswer(Buffer.from(JSON.stringify(answer)), JSON_TYPE, cache);
}

function thumbnail(url: string) {
  return { thumbnail_url: url, thumbnail_width: CARD.width, thumbnail_height: CARD.height };
}

/** The kind and the key in the address of a page: ours, by whatever scheme. */
function embeddedAt(url: string, origin: string): { readonly kind: Kind; readonly key: string } {
  const { host, pathname } = URL.parse(url) ?? { host: "", pathname: "" };
  const [, kind = "", written = ""] = /^\/([a-z]+)\/([^/]+)\/?$/.exec(pathname) ?? [];
  const key = decoded(written);
  if (!isKind(kind) || key === null || host !== new URL(origin).host) {
    throw new ProblemError("not-found", "This is not the address of a page here that has a card.");
  }
  return { kind, key };
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(EMBEDDED, text);
}
