/** Addresses of what belongs to one person. */

import type { Route } from "./route.ts";

export const ACCOUNT_ROUTES: readonly Route[] = [];
