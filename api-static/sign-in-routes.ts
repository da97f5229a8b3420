/** Addresses of signing in and out. */

import type { Route } from "./route.ts";

export const SIGN_IN_ROUTES: readonly Route[] = [];
