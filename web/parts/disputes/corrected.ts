/** That an answer was corrected, and when: the earlier one is nobody's business but that of those who look at the log. */

import { when } from "../../components/figures.ts";
import { type Html, html } from "../../html.ts";

export function corrected(at: string): Html {
  return html`${when(at)}: this answer took the place of an earlier one`;
}
