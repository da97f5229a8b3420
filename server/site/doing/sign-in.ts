/** /sign-in and /sign-out: by the handlers of the API, from forms. */

import { returnPath } from "../../../schemas/public/account/return-path.ts";
import { linkRequested, signedIn, signedOut } from "../../../schemas/public/account/sign-in.ts";
import { linkSentView, signInView } from "../../../web/views/sign-in.ts";
import type { Asked } from "../../frame/handler.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";
import { type Made, seeOther } from "../making/page-handler.ts";
import { orShowAgain } from "../making/refused-form.ts";

/** The place for who named none that one can be sent to. */
const OWN_PAGE = "/me";

function placeIn(text: string): string {
  const place = returnPath.safeParse(text);
  return place.success && text !== "" ? place.data : OWN_PAGE;
}

export async function makeSignIn({ query, signed }: Asked<"sign-in">, { signIn }: SiteContext): Promise<Made> {
  const returnTo = placeIn(query.returnTo);
  if (signed !== null) return seeOther(returnTo);
  return signInView({ returnTo, email: "", hasOrcid: signIn.orcid !== null, refused: null });
}

export function askLink({ body, request }: Asked<"ask-link">, api: Asking, context: SiteContext): Promise<Made> {
  const { email } = body;
  const returnTo = placeIn(body.returnTo);
  const work = async () => {
    await api.get(linkRequested, "magic-request", { body: { email: email.trim(), returnTo } });
    return linkSentView(null);
  };
  const hasOrcid = context.signIn.orcid !== null;
  return orShowAgain(work, (refused) => signInView({ returnTo, email, hasOrcid, refused }), request, context);
}

/** The token of a link that was pasted whole, or alone. */
export function useLink({ body, request }: Asked<"use-link">, api: Asking, context: SiteContext): Promise<Made> {
  const token = body.link.trim().split("token=").at(-1) ?? "";
  const work = async () => {
    const { returnTo } = await api.get(signedIn, "magic-consume", { body: { token } });
    return seeOther(returnTo);
  };
  return orShowAgain(work, linkSentView, request, context);
}

export async function signOut(api: Asking): Promise<Made> {
  await api.get(signedOut, "logout");
  return seeOther("/");
}
