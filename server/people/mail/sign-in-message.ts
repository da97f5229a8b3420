/** The message with a link to sign in by: the same words in plain text and in HTML. */

import { html } from "../../../web/html.ts";
import type { Message } from "./message.ts";

export interface SignInLink {
  readonly to: string;
  readonly link: string;
  /** The site's origin, as people know it. */
  readonly site: string;
  readonly at: Date;
}

const ONCE = "It works once, for 15 minutes.";
const NOT_YOU =
  "If you did not ask for it, somebody typed your address. Nothing has happened, and nothing will unless you open it: leave it be, and do not pass it on.";

export function signInMessage({ to, link, site, at }: SignInLink): Message {
  return { to, subject: "Sign in to SHARE", text: plainText(link, site), html: markup(link, site), at };
}

function plainText(link: string, site: string): string {
  return `Sign in to SHARE, at ${site}, with this link:

${link}

${ONCE}

${NOT_YOU}
`;
}

/** Styles stand at the elements: mail programs take no others. */
function markup(link: string, site: string): string {
  return `${
    html`<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>Sign in to SHARE</title></head>
<body style="margin:0;padding:2rem 1rem;font:16px/1.55 system-ui,'Segoe UI',Roboto,sans-serif;color:#1b2228;background:#ffffff">
<p style="margin:0 0 1.25rem">Sign in to SHARE, at ${site}:</p>
<p style="margin:0 0 1.25rem"><a href="${link}" style="display:inline-block;padding:.7rem 1.2rem;border-radius:.5rem;background:#0b5a6e;color:#ffffff;text-decoration:none;font-weight:600">Sign in</a></p>
<p style="margin:0 0 1.25rem">${ONCE} If the button does not work, copy this address into your browser:<br><a href="${link}" style="color:#0b5a6e;word-break:break-all">${link}</a></p>
<p style="margin:0;color:#55616b">${NOT_YOU}</p>
</body>
</html>`.text
  }\n`;
}
