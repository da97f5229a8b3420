/** Examples of signing in and out: they belong to no release, and to nobody. */

import type { LinkRequested, SignedIn, SignInStart } from "../../schemas/public/account/sign-in.ts";
import type { User } from "../../schemas/public/account/user.ts";

export const EXAMPLE_USER = {
  id: "u5b1c9e07d24f4a6f8e3b7a10",
  name: "Mirela Vance",
  email: "mirela.vance@example.org",
  orcid: "0000-0005-1200-0216",
  createdAt: "2026-11-02T12:00:00.000Z",
} as const satisfies User;

const SIGNED_IN = { user: EXAMPLE_USER, returnTo: "/account" } as const satisfies SignedIn;

/** Examples by the name of the route; that of its body by its name and `body`. */
export const SIGN_IN_EXAMPLES: Readonly<Record<string, unknown>> = {
  "orcid-start": {
    authorizationUrl:
      "https://orcid.org/oauth/authorize?client_id=APP-0123456789ABCDEF&response_type=code&scope=openid&redirect_uri=https%3A%2F%2Fshare.example%2Fauth%2Forcid%2Fcallback&state=8Zq1c0nVqGm6yqj3a0m3v1d6y4b7R2T9w5x8K1p2L3s&nonce=0Jm4t7W2e5r8Y1u4I7o0P3a6S9d2F5g8H1j4K7l0Z3x&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
  } satisfies SignInStart,
  "orcid-callback": SIGNED_IN,
  "magic-request body": { email: EXAMPLE_USER.email, returnTo: "/account" },
  "magic-request": { requested: true, expiresIn: 900 } satisfies LinkRequested,
  "magic-consume body": { token: "Zk3vQ9x1T7b5Lr2Wm8Yc4Nd6Pf0Hj3Ks5Ua7Ge9Bi1Q" },
  "magic-consume": SIGNED_IN,
  logout: { loggedOut: true },
  sessions: {
    data: [
      {
        id: "s3f9d1c07a52e4b68901c7de2",
        method: "mail",
        agent: "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
        createdAt: "2026-11-02T12:00:00.000Z",
        seenAt: "2026-11-02T12:00:00.000Z",
        expiresAt: "2026-12-02T12:00:00.000Z",
        current: true,
      },
    ],
    pagination: { total: 1, page: 1, limit: 10, totalPages: 1, hasNext: false, hasPrev: false },
  },
  session: { deleted: true },
};
