/**
 * A simulated browser with the functions that sign-in needs: it stores cookies, and sends the header Origin with changes. It
 * does not follow redirects.
 */

import { ask, type Reply } from "../server/ask.ts";

export interface BrowserOptions {
  /** Port of the server to which the browser sends its requests. */
  readonly port: number;
  /** The header Origin of POST and DELETE requests; null sends none. */
  readonly origin: string | null;
}

export class Browser {
  /** Values of the stored cookies by name. */
  readonly cookies = new Map<string, string>();
  readonly #options: BrowserOptions;

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  /** Sends a GET request that accepts JSON, as a script in a page does. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#send(path, { method: "GET", headers: { accept: "application/json", ...headers } });
  }

  /** Sends a GET request that prefers HTML, as a browser does when a user opens a URL. */
  open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.get(path, { accept: "text/html,application/xhtml+xml,*/*;q=0.8", ...headers });
  }

  post(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#change("POST", path, body, headers);
  }

  delete(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#change("DELETE", path, undefined, headers);
  }

  #change(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Reply> {
    const { origin } = this.#options;
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const text = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const from = origin === null ? {} : { origin };
    return this.#send(path, { method, headers: { accept: "application/json", ...from, ...json, ...headers }, ...text });
  }

  async #send(path: string, question: Parameters<typeof ask>[2] & {}): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie === "" ? {} : { cookie }), ...question.headers };
    const reply = await ask(this.#options.port, path, { ...question, headers });
    for (const line of reply.headers["set-cookie"] ?? []) this.#keep(line);
    return reply;
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(/;\s*/);
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(at + 1));
  }
}
