/** The script for lists on a static site. The pages call it with their data. */

import "./without-eval.ts";
import { listMarkup } from "../web/static/lists.ts";

Object.assign(globalThis, { listMarkup });
