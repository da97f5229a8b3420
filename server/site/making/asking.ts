/** Objects that the API answers with: asked in process, by whoever asks for a page. */

import type { z } from "zod";
import { readPage } from "../../../api-static/pages/read-page.ts";
import type { RouteName } from "../../../api-static/routes/index.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { AskInProcess, For, Question } from "../../frame/in-process.ts";

/** The API leads elsewhere: another key of the same address. */
export class Moved extends Error {
  readonly code = "moved";
  readonly route: RouteName;
  readonly key: string;

  constructor(route: RouteName, location: string) {
    super(`${route} leads to ${location}`);
    this.route = route;
    this.key = decodeURIComponent(new URL(location, "http://localhost").pathname.split("/").at(-1) ?? "");
  }
}

export class Asking {
  readonly #ask: AskInProcess;
  readonly #who: For;

  constructor(ask: AskInProcess, who: For) {
    this.#ask = ask;
    this.#who = who;
  }

  /**
   * What an address answers, read by its schema.
   * @throws ProblemError as the address would answer with; Moved where it leads elsewhere
   */
  async get<Schema extends z.ZodType>(
    schema: Schema,
    name: RouteName,
    question: Question = {},
  ): Promise<z.infer<Schema>> {
    const answer = await this.answer(name, question);
    if (answer.headers.location !== undefined && answer.status >= 300) throw new Moved(name, answer.headers.location);
    return readPage(schema, JSON.parse(await textOf(answer)));
  }

  /** The same, null where the address answers with one of these problems. */
  async getUnless<Schema extends z.ZodType>(
    problems: readonly string[],
    schema: Schema,
    name: RouteName,
    question: Question = {},
  ): Promise<z.infer<Schema> | null> {
    try {
      return await this.get(schema, name, question);
    } catch (error) {
      if (error instanceof ProblemError && problems.includes(error.type)) return null;
      throw error;
    }
  }

  /** The answer as it is. */
  answer(name: RouteName, question: Question = {}): Promise<Answer> {
    return this.#ask(name, question, this.#who);
  }
}

/** The whole of a body that is at hand or in a file. */
async function textOf({ body }: Answer): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  if (body === null || !("file" in body)) throw new Error("an answer without a whole body is no object");
  try {
    const bytes = Buffer.alloc(body.length);
    await body.file.read(bytes, 0, body.length, body.start);
    return bytes.toString("utf8");
  } finally {
    await body.file.close();
  }
}
