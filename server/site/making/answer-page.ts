/** A view as an answer: the document around it, and the policy that lets its own style and script through. */

import { hash } from "node:crypto";
import { HTML_TYPE } from "../../../api-static/routes/route.ts";
import type { Surroundings, View } from "../../../web/components/document.ts";
import { documentOf, policyOf } from "../../../web/components/document.ts";
import { contentAnswer, type PageAnswer } from "../../frame/answering/answer.ts";

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
