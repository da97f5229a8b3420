/** Objects of the API where nobody looks at the address: what gave way to another is followed there. */

import { type RecordDetail, recordDetail } from "../../../schemas/public/api/record.ts";
import { type ResearcherDetail, researcherDetail } from "../../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { type Asking, Moved } from "../making/asking.ts";

interface Wanted {
  readonly key: string;
  readonly version: PublicVersion;
}

export function recordOf({ key, version }: Wanted, api: Asking): Promise<RecordDetail> {
  return following(key, (id) => api.get(recordDetail, "record", { key: id, query: { rubric: version } }));
}

export function researcherOf({ key, version }: Wanted, api: Asking): Promise<ResearcherDetail> {
  return following(key, (slug) => api.get(researcherDetail, "author", { key: slug, query: { rubric: version } }));
}

function following<T>(key: string, get: (key: string) => Promise<T>): Promise<T> {
  return get(key).catch((error: unknown) => {
    if (error instanceof Moved) return get(error.key);
    throw error;
  });
}
