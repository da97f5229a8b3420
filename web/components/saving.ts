/** The button that saves an item to the account, and the text for a saved search. */

import { FILTERS, type Filter } from "../../schemas/public/api/lists.ts";
import { type Html, html } from "../html.ts";
import { t } from "../languages/translate.ts";
import { buttonForm } from "./forms.ts";

interface Saving {
  /** The name and the value of the form field that identifies the item. */
  readonly field: Readonly<Record<string, string>>;
  /** The values of the form field `do` that save and remove the item. */
  readonly save: string;
  readonly remove: string;
  /** The id of the saved item. */
  readonly id: string;
  readonly find: OwnItem;
}

/** Tells a script how to find out whether the account has an item, because public pages are the same for everybody. */
interface OwnItem {
  /** The path in the API of a list of the account. */
  readonly path: string;
  /** The value that identifies the item in a row of the list. Without it, any row means that the item is saved. */
  readonly value?: string;
}

/** The id of the note "Saved to your account", to which the form redirects in browsers without scripts. */
export const SAVED_NOTE = "item-saved";

/** Returns the button that saves an item, and the button that a script shows instead if the item is already saved. */
export function saveButton({ field, save, remove, id, find: { path, value } }: Saving): Html {
  return html`${buttonForm("/me", { do: save, ...field }, t("Save to your account"))}<div popover class="term" data-server data-saved="${path}"${
    value === undefined ? null : html` data-value="${value}"`
  }><p><a href="/me/saved">Show what you saved</a></p>${buttonForm("/me", { do: remove, id }, t("Remove"))}</div><p id="${SAVED_NOTE}" class="after" data-server>Saved to your account. <a href="/me/saved">Show what you saved</a></p>`;
}

/**
 * Returns the attribute of an element that is shown only to users whose claim of the page has this state. With an empty
 * state, it is shown to all others. Public pages are the same for everybody, so a script shows and hides these
 * elements.
 */
export function ifClaim(state: "" | "pending" | "approved"): Html {
  return html` data-claim="${state}"${state === "" ? null : html` hidden`}`;
}

/** Returns the attributes that tell the script of `ifClaim` which researcher an element is about. */
export function ownClaim(researcherId: string): Html {
  return html` data-saved="/account/profile-claims?limit=100" data-value="${researcherId}"`;
}

/** Returns the button that saves a search, such as the datasets of a funder. `query` has the filters of the search. */
export function saveSearchButton(query: string): Html {
  const find = { path: "/account/saved-searches?limit=100", value: query };
  return saveButton({ field: { query }, save: "save-search", remove: "unsave-search", id: query, find });
}

const RECORD_FILTERS: Readonly<Record<string, Filter>> = FILTERS.records;

/** Returns the filters of a saved search in words, for example “Funder: Elsewhere Science Fund”. */
export function searchWords(query: string): string {
  return [...new URLSearchParams(query)]
    .map(([name, value]) => {
      const { chip, field } = RECORD_FILTERS[name] ?? {};
      return `${field?.label ?? chip ?? name}: ${value}`;
    })
    .join(" · ");
}
