/** The words above whatever is shown of a release that was withdrawn. */

import type { Retraction } from "../../schemas/public/retraction.ts";
import { type Html, html } from "../html.ts";
import { when } from "./figures.ts";

/** What a publisher says of a release that is withdrawn. */
export type RetractionSaid = Pick<Retraction, "retractedAt" | "reason">;

export function retractedNote(version: string, { retractedAt, reason }: RetractionSaid): Html {
  return html`<div class="warn" role="note"><p><b>Release ${version} was retracted</b> on ${when(retractedAt)}: ${reason}</p><p><a href="/history">All releases</a></p></div>`;
}
