/** The mark of the service as a picture of its own. */

import { MARK } from "../components/layout.ts";

export const FAVICON = MARK.text
  .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
  .replace(' aria-hidden="true"', "");
