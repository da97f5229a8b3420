/** Links to the operator's contact, which is an email address or an https URL (`SHARE_CONTACT`). */

import { type Html, html } from "../html.ts";
import { addQuery } from "./navigation.ts";

export function contactLink(contact: string): Html {
  return html`<a href="${contactUrl(contact)}">${contact}</a>`;
}

export function contactUrl(contact: string): string {
  return isUrl(contact) ? contact : mailto(contact);
}

/** Returns the path of the form that reports a problem with a page. */
export function reportPath(page: string): string {
  return addQuery("/report", { page });
}

function isUrl(contact: string): boolean {
  return contact.startsWith("https:");
}

/**
 * Returns a mailto URL. Encodes both parts of the address, because a local part may contain `?`, `&` and `%` (RFC 6068, section
 * 2).
 */
function mailto(address: string): string {
  return `mailto:${address.split("@").map(encodeURIComponent).join("@")}`;
}
