/** The one script of all pages: additions to pages that are whole without it. */

import { Html } from "../../api-static/html/html.ts";
import { COPYING } from "./copying.ts";
import { LOCALE } from "./locale.ts";
import { OPENING } from "./opening.ts";
import { SORTING } from "./sorting.ts";
import { SUGGESTING } from "./suggesting.ts";
import { WATCHING } from "./watching.ts";

/** Rows are sorted by what they say before a reader's locale changes how it is written. */
const ADDITIONS = [SORTING, LOCALE, OPENING, COPYING, WATCHING, SUGGESTING];

/** Each for itself: what fails takes no other with it. Without the indentation of the sources. */
export const SITE_SCRIPT = new Html(
  `"use strict";${ADDITIONS.map((text) => `(()=>{${text.replace(/\n\s*/g, "\n")}})();`).join("")}`,
);
