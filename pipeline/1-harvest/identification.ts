/** Adds the secret of a client to requests, and removes it from every message and stored body. */

import about from "../../package.json" with { type: "json" };
import { isContact } from "../../schemas/public/text.ts";
import type { Source } from "../sources/adapter/source.ts";
import type { Service } from "./service.ts";
import { BadHarvestOption } from "./session.ts";

const HIDDEN = "***";

export class Identification {
  readonly #source: Service;
  readonly #secret: string | null;

  /**
   * Takes the secret with which the client identifies itself to the service; null for none. The secret is printable
   * ASCII without spaces, and error messages never contain it.
   */
  constructor(source: Service, secret: string | null) {
    if (secret !== null && source.credential === undefined) {
      throw new BadHarvestOption(`${source.name} takes no credentials; do not give any`);
    }
    if (secret !== null && !/^[\x21-\x7e]{4,4096}$/.test(secret)) {
      throw new BadHarvestOption(
        `${source.credential?.variable} is not a credential: it needs at least four characters and no spaces`,
      );
    }
    this.#source = source;
    this.#secret = secret;
  }

  get headers(): Readonly<Record<string, string>> {
    const form = this.#source.credential?.form;
    if (this.#secret === null || form === undefined) return {};
    if (form === "bearer") return { authorization: `Bearer ${this.#secret}` };
    if (form === "token") return { authorization: `token ${this.#secret}` };
    if (form === "basic") return { authorization: `Basic ${Buffer.from(this.#secret).toString("base64")}` };
    return {};
  }

  withSecret(target: URL): URL {
    const parameter = this.#parameter;
    if (this.#secret === null || parameter === null) return target;
    const url = new URL(target);
    url.searchParams.set(parameter, this.#secret);
    return url;
  }

  withoutSecret(target: URL): URL {
    const parameter = this.#parameter;
    if (parameter === null || !target.searchParams.has(parameter)) return target;
    const url = new URL(target);
    url.searchParams.delete(parameter);
    return url;
  }

  redactText(text: string): string {
    return this.#forms.reduce((redacted, form) => redacted.replaceAll(form, HIDDEN), text);
  }

  /**
   * Removes the secret from the body of a response, because a service can quote the request that it rejects. A body
   * without the secret stays unchanged.
   */
  redactBody(body: Buffer): Buffer {
    if (!this.#forms.some((form) => body.includes(form))) return body;
    return Buffer.from(this.redactText(body.toString("latin1")), "latin1");
  }

  /** The spellings in which a service can return the secret. */
  get #forms(): readonly string[] {
    if (this.#secret === null) return [];
    return [this.#secret, encodeURIComponent(this.#secret), Buffer.from(this.#secret).toString("base64")];
  }

  get #parameter(): string | null {
    const form = this.#source.credential?.form;
    return typeof form === "object" ? form.parameter : null;
  }
}

/**
 * Returns the rate limit of a source for this client. It depends on whether the client has a credential, a contact, or
 * neither.
 */
export function chooseRate(source: Source, known: { readonly secret: string | null; readonly contact: string | null }) {
  if (known.secret !== null && source.credential !== undefined) return source.credential.rate;
  return known.contact === null ? source.rate : (source.contactRate ?? source.rate);
}

export function userAgent(contact: string | null): string {
  const name = `${about.name}/${about.version}`;
  if (contact === null) return name;
  if (!isContact(contact)) {
    throw new BadHarvestOption("the contact (SHARE_CONTACT) must be one plain email address, such as you@example.org");
  }
  return `${name} (mailto:${contact})`;
}
