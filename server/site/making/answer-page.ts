/** A view as an answer: the document around it, and the policy that lets its own style and script through. */

import { hash } from "node:crypto";
import { HTML_TYPE } from "../../../api-static/routes/route.ts";
import { documentOf, policyOf } from "../../../web/frame/document.ts";
import type { Surroundings, View } from "../../../web/frame/view.ts";
import { contentAnswer, type PageAnswer } from "../../frame/answering/answer.ts";

const digest = (text: string) => hash("sha256", text, "base64");

/** By script: there are few, and digests of them never change. */
const policies = new Map<string, string>();

function policyFor(view: View): string {
  const key = view.script?.text ?? "";
  const known = policies.get(key);
  if (known !== undefined) return known;
  const made = policyOf(view, digest);
  policies.set(key, made);
  return made;
}

/** What every page has: with `no-referrer`, browsers would hide the origin of its own forms. */
export function pageHeaders(view: View): Record<string, string> {
  return { "content-security-policy": policyFor(view), "referrer-policy": "same-origin" };
}

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
  return { status, body, headers: { ...kept, ...pageHeaders(view) } };
}
