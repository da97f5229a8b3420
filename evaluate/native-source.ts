/** The place of data that a registry has registered: the source that holds it is preferred, since it sees files and more. */

import type { Holder, Source } from "../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../pipeline/sources/index.ts";

export interface NativeRecord {
  readonly source: Source;
  readonly sourceId: string;
}

/** The record in the source whose client registered the DOI, by the DOI itself or by its landing page; null where there is none. */
export function nativeRecord({ client, url }: Holder, doi: string): NativeRecord | null {
  if (client === null) return null;
  for (const source of SOURCES) {
    if (!source.dataciteClients?.some((known) => isClient(client, known))) continue;
    const sourceId = source.sourceIdOf(doi) ?? (url === null ? null : source.sourceIdOf(url));
    if (sourceId !== null) return { source, sourceId };
  }
  return null;
}

/** Services with a client for each of their customers name them all by what they have in common: `figshare.` */
function isClient(client: string, known: string): boolean {
  return known.endsWith(".") ? client.startsWith(known) : client === known;
}
