/** A view: the parts of a page that differ from page to page. */

import type { Part } from "../html.ts";
import type { RetractionSaid } from "./retracted.ts";

export interface View {
  readonly title: string;
  /** One sentence, for search engines and previews. */
  readonly description: string;
  readonly body: Part;
  /** Path and query of the same for programs; null where there is none. */
  readonly twin?: string | null;
  /** The address of the page among those that show the same; its own unless said. */
  readonly canonical?: string;
  /** Kept out of search engines: it is somebody's own, or one of endless many. */
  readonly unlisted?: boolean;
  /** Seconds after which the page asks again by itself, for what is still under way. */
  readonly refreshSeconds?: number;
  /** What search engines read (schema.org), as JSON-LD. */
  readonly linkedData?: Readonly<Record<string, unknown>>;
  /** Where things stand for programs: the value of a `Link` header (RFC 8288). */
  readonly links?: string;
  /** The picture for previews (Open Graph), in the size of PREVIEW_PICTURE, and its text alternative. */
  readonly picture?: { readonly path: string; readonly words: string };
}

/** The feed of releases: every page names it, so that a reader of feeds finds it from any of them. */
export const FEED_ADDRESS = "/history.atom";

/** The service around a page, as every page names it. */
export interface Surroundings {
  /** `https://share.example`, without a slash at its end. */
  readonly origin: string;
  /** Path of the page, without its query. */
  readonly path: string;
  /** The release that figures are from; null where there is none yet. */
  readonly release: {
    readonly version: string;
    readonly asOf: string;
    /** What was said when it was withdrawn; null mostly. */
    readonly retraction: RetractionSaid | null;
  } | null;
}
