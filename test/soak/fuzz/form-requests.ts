/** Requests of forms, as bytes: honest ones, changed ones, and such as lie about what they are. */

import { FORMS, HONEST_FORMS } from "../../security/honest-forms.ts";
import type { Dice } from "./dice.ts";
import { mutated } from "./mutated.ts";

const ENCODED = "application/x-www-form-urlencoded";

/** What ends a session, of which others in the round have need, or an account. */
const ENDING = ["sign-out", "erase-now"];

/** As a page of `origin` sends it, with the cookie of somebody who is signed in there. */
export function formRequest(dice: Dice, origin: string, cookie: string): Buffer {
  const { name, path } = dice.of(FORMS);
  const fields = HONEST_FORMS[name] ?? {};
  const { type, body } = dice.oneIn(2) ? encoded(fields) : inParts(fields, dice);
  const changed = dice.oneIn(4) ? body : mutated(body, dice, [body, Buffer.from(OTHERS)]);
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Accept: text/html",
    `Origin: ${origin}`,
    `Content-Type: ${dice.oneIn(8) ? dice.of(TYPES) : type}`,
    `Content-Length: ${dice.oneIn(12) ? dice.below(2 * changed.length + 2) : changed.length}`,
    ...(ENDING.includes(name) || dice.oneIn(4) ? [] : [`Cookie: share_session=${cookie}`]),
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), changed]);
}

/** What readers of forms trip over, to be spliced into others. */
const OTHERS = '&a=b&&=&a[]=1&%&%4&%zz=+;\r\n--\r\n\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n';

const TYPES = [
  "multipart/form-data",
  "multipart/form-data; boundary=",
  'multipart/form-data; boundary="-"',
  `multipart/form-data; boundary=${"-".repeat(70)}`,
  `${ENCODED}; charset=utf-16`,
  "multipart/mixed; boundary=x",
  "application/json",
];

type Fields = Readonly<Record<string, string>>;

interface Made {
  readonly type: string;
  readonly body: Buffer;
}

function encoded(fields: Fields): Made {
  return { type: ENCODED, body: Buffer.from(new URLSearchParams(fields).toString()) };
}

function inParts(fields: Fields, dice: Dice): Made {
  const boundary = dice.of(["x", "-", "----WebKitFormBoundary0123456789", "-".repeat(70)]);
  const parts = Object.entries(fields).map(([name, value]) => {
    const file = dice.oneIn(4) ? '; filename="f"\r\nContent-Type: text/plain' : "";
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  const type = `multipart/form-data; boundary=${boundary}`;
  return { type, body: Buffer.from(`${parts.join("")}--${boundary}--\r\n`) };
}
