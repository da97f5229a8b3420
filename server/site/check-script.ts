/** The script of the check page, which the build of `score/` writes. Without it, the page sends drafts to the server. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { CACHE, SCRIPT_TYPE } from "../../api-static/routes/route.ts";
import { CompressedBody, contentResponse, type HttpResponse } from "../http/response.ts";

const FOLDER = new URL("../../score/dist/page/", import.meta.url);

export interface CheckScript {
  /** The path of the worker; null if there is no build. */
  readonly entry: string | null;
  /** The worker and the modules that it loads, by name. Names contain a digest. */
  readonly files: ReadonlyMap<string, HttpResponse>;
}

/** A worker has the policy of its own response. This one lets it load its modules, and send nothing. */
const POLICY = { "content-security-policy": "default-src 'none'; script-src 'self'" };

export function readCheckScript(): CheckScript {
  const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith(".js")) : [];
  const entry = names.find((name) => name.startsWith("check-worker-"));
  return {
    entry: entry === undefined ? null : `/check-script/${entry}`,
    files: new Map(names.map((name) => [name, scriptResponse(name)])),
  };
}

function scriptResponse(name: string): HttpResponse {
  const body = readFileSync(new URL(name, FOLDER));
  const { headers, ...response } = contentResponse(body, SCRIPT_TYPE, CACHE.immutable);
  const compressed = new CompressedBody(body, readFileSync(new URL(`${name}.br`, FOLDER)));
  return { ...response, headers: { ...headers, ...POLICY }, compressed };
}
