/** The program of the lists of a static site, which its page calls with the data. */

import "./without-eval.ts";
import { listMarkup } from "../web/static/lists.ts";

Object.assign(globalThis, { listMarkup });
