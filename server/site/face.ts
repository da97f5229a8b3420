/** Makes the face of the site, such as its title and colour, from the operator's settings. */

import { makeAccent } from "../../web/components/accent.ts";
import { type FaceSettings, type SiteFace, siteFace } from "../../web/components/face.ts";
import { ConfigurationError } from "../configuration-error.ts";

/**
 * Makes the face of the site from settings. Rejects a colour in which text can be read neither in light mode nor in
 * dark mode.
 * @throws ConfigurationError with shades in which text can be read
 */
export function faceFrom(settings: Partial<FaceSettings>): SiteFace {
  const colour = settings.colour ?? null;
  if (colour === null) return siteFace(settings);
  const { light, dark } = makeAccent(colour);
  if (light === colour || dark === colour) return siteFace(settings);
  throw new ConfigurationError(
    `SHARE_COLOUR ${colour} cannot be read as text: its contrast is below 4.5:1 in light and in dark mode. Use a darker or lighter shade, such as ${light} or ${dark}.`,
  );
}
