/** An evaluated record that was written down, without some of its creators: each keeps the place, and no advice names them. */

import { WITHHELD_NAME } from "../../api-static/pages/withheld.ts";
import { withoutPeopleNamed } from "../../pipeline/evaluate/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";

export function withoutCreators(record: RecordDetail, places: ReadonlySet<number>): RecordDetail {
  if (places.size === 0) return record;
  const authors = record.authors.map((author, place) =>
    places.has(place) ? { id: null, name: WITHHELD_NAME, affiliation: null, slug: null, orcid: null } : author,
  );
  return { ...withoutPeopleNamed(record), authors };
}
