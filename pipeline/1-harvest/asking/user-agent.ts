/** The name we introduce ourselves by to services: name, version, and whom to write to. */

import about from "../../../package.json" with { type: "json" };
import { BadHarvestOption } from "../session/errors.ts";

/** The User-Agent header; services give callers with a contact more room. */
export function userAgent(contact: string | null): string {
  const name = `${about.name}/${about.version}`;
  if (contact === null) return name;
  if (!isContact(contact)) {
    throw new BadHarvestOption("the contact (SHARE_CONTACT) must be one plain e-mail address");
  }
  return `${name} (mailto:${contact})`;
}

/** Whether a text is one plain e-mail address, fit for a header. */
export function isContact(text: string): boolean {
  return /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+$/.test(text);
}
