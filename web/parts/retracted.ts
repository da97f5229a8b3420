/** The words above whatever is shown of a release that was withdrawn. */

import { type Html, html } from "../../api-static/html/html.ts";
import type { Said } from "../frame/view.ts";
import { when } from "./figures.ts";

export function retractedNote(version: string, { retractedAt, reason }: Said): Html {
  return html`<div class="warn" role="note"><p><b>Release ${version} was retracted</b> on ${when(retractedAt)}: ${reason}</p><p><a href="/history">All releases</a></p></div>`;
}
