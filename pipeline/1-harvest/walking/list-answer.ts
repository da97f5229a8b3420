/** The content of a walk's answer, before the source says what it means: records, nothing, or an error in a good status. */

import type { Ask, Source } from "../../sources/adapter/source.ts";
import type { Answer } from "../asking/ask.ts";
import { type Findings, recordsIn } from "../documents/document.ts";
import { UpstreamRefused } from "../session/errors.ts";

/** The findings in a list; `objection` is why it is no list, which matters where the answer should be one. */
export type Listing = Findings & { readonly objection: Error | null };

/** An error with status 200 is still an error, and thrown; a page without records is not. */
export function listingOf(answer: Answer, { url }: Ask, source: Source): Listing {
  if (answer.language === "text") return { records: [], refused: [], objection: null };
  const { kind } = source.shapeOf(answer.document);
  if (kind === "record") return { records: [], refused: [], objection: noList(url, "one record") };
  const { records, refused } = recordsIn(answer, source);
  if (kind !== "refused") return { records, refused: refused.filter(({ item }) => item !== null), objection: null };
  const why = refused[0];
  const objection = noList(url, why === undefined ? "nothing" : `${why.reason}, ${why.detail}`);
  if (why?.reason === "error-answer") throw objection;
  return { records: [], refused: [], objection };
}

function noList(url: string, what: string): UpstreamRefused {
  return new UpstreamRefused(`${url} answered no list: ${what}`, 200);
}
