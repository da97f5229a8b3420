/** Who answers the addresses of api-static/account-routes.ts, by the name of their route. */

import type { Handler } from "../handler.ts";

export const ACCOUNT: Readonly<Record<string, Handler>> = {};
