/** The proof by which a service knows a caller, of which nothing is ever seen anywhere else. */

import about from "../../package.json" with { type: "json" };
import type { Source } from "../sources/adapter/source.ts";
import { BadHarvestOption } from "./session.ts";

/** What stands in its place. */
const HIDDEN = "***";

export class Identification {
  readonly #source: Source;
  readonly #secret: string | null;

  /** The secret must be plain characters without white space; it is never part of a message. */
  constructor(source: Source, secret: string | null) {
    if (secret !== null && source.credential === undefined) {
      throw new BadHarvestOption(`${source.name} takes no credentials`);
    }
    if (secret !== null && !/^[\x21-\x7e]{4,4096}$/.test(secret)) {
      throw new BadHarvestOption(
        `${source.credential?.variable} is no credential: at least four characters, no spaces`,
      );
    }
    this.#source = source;
    this.#secret = secret;
  }

  /** Headers to be sent beside those of the request. */
  get headers(): Readonly<Record<string, string>> {
    const form = this.#source.credential?.form;
    if (this.#secret === null || form === undefined) return {};
    if (form === "bearer") return { authorization: `Bearer ${this.#secret}` };
    if (form === "token") return { authorization: `token ${this.#secret}` };
    if (form === "basic") return { authorization: `Basic ${Buffer.from(this.#secret).toString("base64")}` };
    return {};
  }

  /** The address as it is sent: the only one the key is in. */
  sent(target: URL): URL {
    const parameter = this.#parameter;
    if (this.#secret === null || parameter === null) return target;
    const url = new URL(target);
    url.searchParams.set(parameter, this.#secret);
    return url;
  }

  /** An address the service gave, without the key it may have handed back. */
  plain(target: URL): URL {
    const parameter = this.#parameter;
    if (parameter === null || !target.searchParams.has(parameter)) return target;
    const url = new URL(target);
    url.searchParams.delete(parameter);
    return url;
  }

  /** Text of the platform's, fit to be shown. */
  shown(text: string): string {
    return this.#forms.reduce((shown, form) => shown.replaceAll(form, HIDDEN), text);
  }

  /** A body without the secret: services quote what they refuse. Any other comes back as it is. */
  cleaned(body: Buffer): Buffer {
    if (!this.#forms.some((form) => body.includes(form))) return body;
    return Buffer.from(this.shown(body.toString("latin1")), "latin1");
  }

  /** The spellings in which it could come back. */
  get #forms(): readonly string[] {
    if (this.#secret === null) return [];
    return [this.#secret, encodeURIComponent(this.#secret), Buffer.from(this.#secret).toString("base64")];
  }

  get #parameter(): string | null {
    const form = this.#source.credential?.form;
    return typeof form === "object" ? form.parameter : null;
  }
}

/** The rate that the service allows a caller who is known to it, or who says whom to write to. */
export function rateOf(source: Source, known: { readonly secret: string | null; readonly contact: string | null }) {
  if (known.secret !== null && source.credential !== undefined) return source.credential.rate;
  return known.contact === null ? source.rate : (source.contactRate ?? source.rate);
}

/** The User-Agent header; services give callers with a contact more room. */
export function userAgent(contact: string | null): string {
  const name = `${about.name}/${about.version}`;
  if (contact === null) return name;
  if (!isContact(contact)) {
    throw new BadHarvestOption("the contact (SHARE_CONTACT) must be one plain e-mail address");
  }
  return `${name} (mailto:${contact})`;
}

/** Whether a text is one plain e-mail address, fit for a header. */
export function isContact(text: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+$/.test(text);
}
