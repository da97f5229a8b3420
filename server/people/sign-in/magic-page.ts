/** GET /auth/magic: the page that links in mails lead to, under a policy that lets its own script and style run and no other. */

import { hash } from "node:crypto";
import { CACHE, HTML_TYPE } from "../../../api-static/routes/route.ts";
import { STYLE } from "../../../web/components/style.ts";
import { SIGNING_IN } from "../../../web/script/signing-in.ts";
import { signInPage } from "../../../web/views/sign-in.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";

const digest = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;

/** It loads nothing, is shown in no frame, and asks nobody but this site. */
const POLICY = [
  "default-src 'none'",
  `script-src ${digest(SIGNING_IN)}`,
  `style-src ${digest(STYLE)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function magicPageAnswer(hasSite: boolean): Answer {
  const answer = contentAnswer(Buffer.from(signInPage(hasSite)), HTML_TYPE, CACHE.never);
  return { ...answer, headers: { ...answer.headers, "content-security-policy": POLICY } };
}
