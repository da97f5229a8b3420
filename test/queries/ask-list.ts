/** Requests a list of an open release, and reads the response. */

import { z } from "zod";
import { routeNamed } from "../../api-static/routes/index.ts";
import { pagination } from "../../schemas/public/api/common.ts";
import type { ListName } from "../../schemas/public/api/lists.ts";
import { NO_RESEARCHERS } from "../../server/accounts/standings.ts";
import { readQuery } from "../../server/http/routes.ts";
import { listResponse } from "../../server/read/list-response.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";

const envelope = z.object({ data: z.array(z.record(z.string(), z.unknown())), pagination });

export interface Asked {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a response. `query` is the text after `?`. */
export async function askList(release: OpenRelease, list: ListName, query: string, csv = false): Promise<Asked> {
  const route = routeNamed(list);
  const { body, headers } = await listResponse(route, readQuery(route, query), csv, release, {
    hidden: NO_RESEARCHERS,
  });
  if (!(body instanceof Uint8Array)) throw new Error("a list was answered without a body");
  return { text: Buffer.from(body).toString("utf8"), headers };
}

/** Returns the parsed JSON response. */
export async function readRows(release: OpenRelease, list: ListName, query: string) {
  return envelope.parse(JSON.parse((await askList(release, list, query)).text));
}
