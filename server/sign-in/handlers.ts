/** Who answers the addresses of api-static/sign-in-routes.ts, by the name of their route. */

import type { Handler } from "../handler.ts";

export const SIGN_IN: Readonly<Record<string, Handler>> = {};
