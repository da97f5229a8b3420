/** The script of the check page, which the build of `score/` writes. Without it, the page sends drafts to the server. */

import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { CACHE, SCRIPT_TYPE } from "../../api-static/routes/route.ts";
import type { Language } from "../../web/languages/translate.ts";
import { CompressedBody, contentResponse, type HttpResponse } from "../http/response.ts";
import { readTexts, TRANSLATIONS } from "./languages.ts";

const FOLDER = new URL("../../score/dist/page/", import.meta.url);

export interface CheckScript {
  /** The path of the worker; null if there is no build. */
  readonly entry: string | null;
  /** The worker and the modules that it loads, by name. Names contain a digest. */
  readonly files: ReadonlyMap<string, HttpResponse>;
  /** The names of the modules with the texts of each language. */
  readonly texts: ReadonlyMap<Language, string>;
}

/** The policy in the worker's own response. It lets the worker load its modules, but send nothing. */
const POLICY = { "content-security-policy": "default-src 'none'; script-src 'self'" };

export function readCheckScript(): CheckScript {
  const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith(".js")) : [];
  const entry = names.find((name) => name.startsWith("check-worker-"));
  const modules = entry === undefined ? [] : TRANSLATIONS.map(textsModule);
  return {
    entry: entry === undefined ? null : `/check-script/${entry}`,
    files: new Map([
      ...names.map((name) => [name, scriptResponse(name)] as const),
      ...modules.map(({ name, body }) => [name, moduleResponse(body, new CompressedBody(body))] as const),
    ]),
    texts: new Map(modules.map(({ of, name }) => [of, name])),
  };
}

function textsModule(of: Language) {
  const body = Buffer.from(`export default ${JSON.stringify(readTexts(of))};`);
  return { of, name: `texts-${of}-${hash("sha256", body).slice(0, 16)}.js`, body };
}

function scriptResponse(name: string): HttpResponse {
  const body = readFileSync(new URL(name, FOLDER));
  return moduleResponse(body, new CompressedBody(body, readFileSync(new URL(`${name}.br`, FOLDER))));
}

function moduleResponse(body: Buffer, compressed: CompressedBody): HttpResponse {
  const { headers, ...response } = contentResponse(body, SCRIPT_TYPE, CACHE.immutable);
  return { ...response, headers: { ...headers, ...POLICY }, compressed };
}
