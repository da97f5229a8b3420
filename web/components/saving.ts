/** The button that saves an item to the account, and the words for a saved search. */

import { FILTERS, type Filter } from "../../schemas/public/api/lists.ts";
import { type Html, html } from "../html.ts";
import { buttonForm } from "./forms.ts";

interface Saving {
  /** The field of the form, with the item. */
  readonly field: Readonly<Record<string, string>>;
  /** The actions that save and remove the item. */
  readonly save: string;
  readonly remove: string;
  /** The id of the saved item. */
  readonly id: string;
  readonly find: OwnItem;
}

/** How a script finds out whether the account has an item. Public pages are the same for everybody. */
interface OwnItem {
  /** The path of a list of the account. */
  readonly path: string;
  /** A value of the row of the item. Without it, any row is the item. */
  readonly value?: string;
}

/** Returns the button that saves an item, and what it offers if the user has saved the item. */
export function saveButton({ field, save, remove, id, find: { path, value } }: Saving): Html {
  return html`${buttonForm("/me", { do: save, ...field }, "Save to your account")}<div popover class="term" data-server data-saved="${path}"${
    value === undefined ? null : html` data-value="${value}"`
  }><p><a href="/me/saved">Show what you saved</a></p>${buttonForm("/me", { do: remove, id }, "Remove")}</div>`;
}

/** Returns the attributes of a link that gets this label, and leads to the account, if the account has the item. */
export function ownLink({ path, value }: Required<OwnItem>, label: string): Html {
  return html` data-saved="${path}" data-value="${value}" data-label="${label}"`;
}

/** Returns the button that saves a search, such as the datasets of a funder. `query` is that of a saved search. */
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
