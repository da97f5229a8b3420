/** Links to the operator's contact, which is an email address or an https URL (`SHARE_CONTACT`). */

import { type Html, html } from "../html.ts";

export function contactLink(contact: string): Html {
  return html`<a href="${contactUrl(contact)}">${contact}</a>`;
}

export function contactUrl(contact: string): string {
  return isUrl(contact) ? contact : mailto(contact);
}

/** Returns the URL to report a problem with a record. It contains the record and the release. */
export function reportUrl(
  contact: string,
  { record, release }: { readonly record: string; readonly release: string },
): string {
  if (isUrl(contact)) {
    const url = new URL(contact);
    url.searchParams.append("record", record);
    url.searchParams.append("release", release);
    return url.href;
  }
  const subject = encodeURIComponent(`Problem with ${record}`);
  const body = encodeURIComponent(`Record: ${record}\r\nRelease: ${release}\r\n\r\n`);
  return `${mailto(contact)}?subject=${subject}&body=${body}`;
}

function isUrl(contact: string): boolean {
  return contact.startsWith("https:");
}

/** Encodes both parts of the address: a local part may contain `?`, `&` and `%` (RFC 6068, section 2). */
function mailto(address: string): string {
  return `mailto:${address.split("@").map(encodeURIComponent).join("@")}`;
}
