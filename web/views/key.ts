/** An API key, shown once. */

import type { RegistrationResult } from "../../schemas/public/account/registration.ts";
import type { View } from "../components/document.ts";
import { html } from "../html.ts";

export function keyView({ key, message }: RegistrationResult): View {
  return {
    title: "Your API key",
    description: "A key, shown once.",
    unlisted: true,
    body: html`<h1>Your API key</h1><p class="lead" role="status">Copy it now: it is shown here and never again.</p><pre tabindex="0" aria-label="API key">${key}</pre><p>${message}</p><p><a href="/docs">How to use it</a> · <a href="/me">Back to your account</a></p>`,
  };
}
