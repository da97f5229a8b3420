/** Where pages go: packs of a build under way, or digests that are compared. */

import type { Page } from "../../api-static/pages/page.ts";
import type { PageAddress } from "../packs/pack-names.ts";

export interface PageSink {
  /** Takes one page. The keys of a family come in the order of their places (pipeline/packs/place.ts). */
  write(page: PageAddress, text: Page): void;
}
