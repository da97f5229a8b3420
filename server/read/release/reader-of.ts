/** The version of the reader by which a release read the payloads of a source; null where it does not say. */

import type { Receipt } from "../../../schemas/public/release.ts";

export function readerOf({ sources }: Pick<Receipt, "sources">, name: string | undefined): number | null {
  return sources.find(({ source }) => source === name)?.reader?.version ?? null;
}
