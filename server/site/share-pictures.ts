/** Pictures that other sites show beside links to pages: SVG drawn as PNG in another thread, one at a time, and cached. */

import { fileURLToPath } from "node:url";
import { renderAsync } from "@resvg/resvg-js";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import { PNG_TYPE } from "../../api-static/routes/route.ts";
import { drawPicture } from "../../web/components/share-picture.ts";
import { contentResponse, type HttpResponse, ProblemError } from "../http/response.ts";
import type { SiteContext, ViewOrResponse } from "./page-handler.ts";

/** Size of the cache in bytes, which is enough for about 800 pictures of 20 KB. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** Number of pictures that may wait while one is drawn, which takes hundredths of a second. */
const MAX_WAITING = 32;

const FONTS = ["400Regular/Inter_400Regular.ttf", "700Bold/Inter_700Bold.ttf"].map((file) =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/inter/${file}`)),
);

export class SharePictures {
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: KEPT_BYTES, sizeCalculation: ({ length }) => length + 1 });
  readonly #turns = pLimit(1);

  /**
   * Draws a picture, or returns it from the cache.
   * @throws ProblemError `overloaded` if too many pictures wait
   */
  async png(svg: string): Promise<Buffer> {
    const known = this.#kept.get(svg);
    if (known !== undefined) return known;
    if (this.#turns.pendingCount >= MAX_WAITING) {
      throw new ProblemError("overloaded", "Too many pictures are being drawn. Try again in a few seconds.", {
        headers: { "retry-after": "5" },
      });
    }
    return this.#turns(async () => {
      const drawn = this.#kept.get(svg) ?? (await draw(svg));
      this.#kept.set(svg, drawn);
      return drawn;
    });
  }
}

async function draw(svg: string): Promise<Buffer> {
  const font = { fontFiles: FONTS, defaultFontFamily: "Inter", loadSystemFonts: false };
  return (await renderAsync(svg, { font })).asPng();
}

/**
 * Returns the picture of a view. Another response, such as a redirect, stays as it is.
 * @throws ProblemError `not-found` if the view has no picture, or `overloaded` if too many pictures wait
 */
export async function respondPicture(
  view: ViewOrResponse,
  cache: string,
  { pictures, face }: Pick<SiteContext, "pictures" | "face">,
): Promise<HttpResponse> {
  if ("status" in view) return view;
  if (view.picture === undefined) throw new ProblemError("not-found", "This page has no preview picture.");
  return contentResponse(await pictures.png(drawPicture(view.picture, face.title)), PNG_TYPE, cache);
}
