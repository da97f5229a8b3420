/** Where a published release lies: the address people give, and the addresses of its files. */

import { z } from "zod";
import { releaseList } from "../../schemas/public/api/service.ts";
import { FetchRefused } from "./errors.ts";
import { type Remote, textAt } from "./remote.ts";

export interface ReleaseAddress {
  /** Ends with `/releases/sha256-<hex>`. */
  readonly url: string;
  readonly digest: string;
  /** The list of releases beside it; null where it was not needed to find the address. */
  readonly list: ReleaseList | null;
}

export type ReleaseList = z.infer<typeof releaseList>;

const RELEASE = /^(.*\/releases\/)sha256(?:-|:|%3a)([0-9a-f]{64})\/?$/i;

/** Of a release's own address, or of the service's: then the release that is active there. */
export async function releaseAddress(text: string, remote: Remote): Promise<ReleaseAddress> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FetchRefused(text, "is no http or https address of a service or of a release");
  }
  const plain = `${url.origin}${url.pathname}`;
  const [, before, hex] = RELEASE.exec(plain) ?? [];
  if (before !== undefined && hex !== undefined) return addressOf(before, `sha256:${hex.toLowerCase()}`, null);
  const list = `${plain.replace(/\/$/, "")}/releases`;
  const releases = await listAt(list, remote);
  const active = releases?.find((release) => release.active);
  if (active === undefined) throw new FetchRefused(list, "names no active release; give the address of one");
  return addressOf(`${list}/`, active.releaseDigest, releases);
}

/** The list that a release is in, by its own address: what a service answers, or what lies beside the releases as a file. */
export async function listBeside({ url, list }: ReleaseAddress, remote: Remote): Promise<ReleaseList | null> {
  if (list !== null) return list;
  const at = url.replace(/\/sha256-[0-9a-f]{64}$/, "");
  for (const place of [at, `${at}.json`]) {
    const found = await listAt(place, remote).catch((error: unknown) => {
      if (error instanceof FetchRefused) return null;
      throw error;
    });
    if (found !== null) return found;
  }
  return null;
}

/** Null for what is no list of releases. */
async function listAt(url: string, remote: Remote): Promise<ReleaseList | null> {
  return releaseList.safeParse(jsonOf(await textAt(remote, url, LIST_BYTES))).data ?? null;
}

const LIST_BYTES = 64 * 1024 * 1024;

function addressOf(before: string, digest: string, list: ReleaseList | null): ReleaseAddress {
  return { url: `${before}${digest.replace(":", "-")}`, digest, list };
}

/** The address of a file of a release. */
export function fileAddress({ url }: ReleaseAddress, path: string): string {
  return `${url}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function jsonOf(text: string): z.infer<ReturnType<typeof z.json>> {
  try {
    return z.json().parse(JSON.parse(text));
  } catch {
    return null;
  }
}
