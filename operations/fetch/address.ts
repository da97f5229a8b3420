/** Where a published release lies: the address people give, and the addresses of its files. */

import { z } from "zod";
import { releaseList } from "../../schemas/public/api/service.ts";
import { FetchRefused } from "./errors.ts";
import { type Remote, textAt } from "./remote.ts";

export interface ReleaseAddress {
  /** Ends with `/releases/sha256-<hex>`. */
  readonly url: string;
  readonly digest: string;
}

const RELEASE = /^(.*\/releases\/)sha256(?:-|:|%3a)([0-9a-f]{64})\/?$/i;

/** Of a release's own address, or of the service's: then the release that is active there. */
export async function releaseAddress(text: string, remote: Remote): Promise<ReleaseAddress> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FetchRefused(text, "is no http or https address of a service or of a release");
  }
  const plain = `${url.origin}${url.pathname}`;
  const [, before, hex] = RELEASE.exec(plain) ?? [];
  if (before !== undefined && hex !== undefined) return addressOf(before, `sha256:${hex.toLowerCase()}`);
  const list = `${plain.replace(/\/$/, "")}/releases`;
  const releases = releaseList.safeParse(jsonOf(await textAt(remote, list, LIST_BYTES)));
  const active = releases.data?.find((release) => release.active);
  if (active === undefined) throw new FetchRefused(list, "names no active release; give the address of one");
  return addressOf(`${list}/`, active.releaseDigest);
}

const LIST_BYTES = 64 * 1024 * 1024;

function addressOf(before: string, digest: string): ReleaseAddress {
  return { url: `${before}${digest.replace(":", "-")}`, digest };
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
