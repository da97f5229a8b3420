/** The root: what this is, and where to begin. */

import { CACHE } from "../api-static/route.ts";
import { ROUTES } from "../api-static/routes.ts";
import { PUBLIC_VERSIONS } from "../schemas/rubric.ts";
import type { Answer } from "./answer.ts";
import { jsonAnswer } from "./json-answer.ts";

/** Addresses by name; those in braces are templates. */
export async function answerIndex(): Promise<Answer> {
  const links = ROUTES.filter(({ name }) => name !== "index").map(({ name, path }): [string, string] => [name, path]);
  const index = {
    name: "SHARE scoring service",
    apiVersion: "1.6.0",
    shareVersion: PUBLIC_VERSIONS[0],
    links: Object.fromEntries(links),
  };
  return jsonAnswer(index, CACHE.page);
}
