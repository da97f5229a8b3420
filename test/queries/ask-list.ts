/** Requests a list of an open release without a server, and reads the response. */

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

/** Returns the response for a list as text, with its headers. `query` is the text after `?` in the URL. */
export async function askList(release: OpenRelease, list: ListName, query: string, csv = false): Promise<Asked> {
  const route = routeNamed(list);
  const { body, headers } = await listResponse(route, readQuery(route, query), csv, release, {
    hidden: NO_RESEARCHERS,
  });
  if (!(body instanceof Uint8Array)) throw new Error(`the response for the list ${list} has no body`);
  return { text: Buffer.from(body).toString("utf8"), headers };
}

/** Returns the rows and the pagination of a list, from its JSON response. */
export async function readRows(release: OpenRelease, list: ListName, query: string) {
  return envelope.parse(JSON.parse((await askList(release, list, query)).text));
}
