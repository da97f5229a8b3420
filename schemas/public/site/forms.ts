/** The fields of forms on the site. Unknown fields are ignored. */

import { z } from "zod";
import { type AccountAction, mapped } from "../account/items.ts";
import { ACCOUNT_ACTIONS, type ActionName } from "../account/me.ts";
import { MAX_DRAFT_BYTES } from "../text.ts";

const MAX_FIELD_LENGTH = 2048;

/** Longest list of identifiers, in characters. */
export const MAX_LIST_LENGTH = 3 * 1024 * 1024;

const text = z.string().max(MAX_FIELD_LENGTH, `must have at most ${MAX_FIELD_LENGTH} characters`);

/**
 * The form to check an identifier. An empty identifier is valid here; the handler rejects it, so that it can show the form
 * again.
 */
export const checkForm = z.object({
  identifier: text.default(""),
  /** `true` to score the dataset again instead of showing its score in the release. */
  fresh: z.enum(["", "true"]).default(""),
});

/**
 * The form to check a list of identifiers, which is pasted or the text of a file. If `form` is `csv`, the result is a
 * download.
 */
export const checkListForm = z.object({
  identifiers: z.string().max(MAX_LIST_LENGTH).default(""),
  file: z.string().max(MAX_LIST_LENGTH).default(""),
  form: text.default(""),
});

/** Fields of a form for entering metadata, for users without a file. */
export const draftFields = z.object({
  title: text.default(""),
  description: z.string().max(MAX_DRAFT_BYTES).default(""),
  methods: z.string().max(MAX_DRAFT_BYTES).default(""),
  keywords: text.default(""),
  creators: text.default(""),
  contributors: text.default(""),
  licence: text.default(""),
  access: text.default(""),
  references: text.default(""),
  related: text.default(""),
  grants: text.default(""),
  files: text.default(""),
});
export type DraftFields = z.infer<typeof draftFields>;

export const draftForm = draftFields.extend({
  source: text.default(""),
  /** The text of the selected file. If it is empty, `pasted` is used. */
  file: z.string().default(""),
  pasted: z.string().default(""),
  /** `fields` if the user filled in the form for metadata instead of giving a file. */
  form: text.default(""),
});

export const signInForm = z.object({ email: text, returnTo: text.default("") });
export const linkForm = z.object({ link: text });
export const nothing = z.object({});

const actionName = z.enum(
  mapped<typeof ACCOUNT_ACTIONS, { readonly [Name in ActionName]: Name }>(ACCOUNT_ACTIONS, (_action, name) => name),
);

function defineForm<Name extends ActionName>(name: Name) {
  const { fields, optional = [], returns }: AccountAction = ACCOUNT_ACTIONS[name];
  const texts: Record<string, z.ZodType<string>> = Object.fromEntries([
    ...fields.map((each) => [each, text] as const),
    ...[...optional, ...(returns === true ? ["from"] : [])].map((each) => [each, text.default("")] as const),
  ]);
  return z.object({ do: z.literal(name), ...texts });
}

/** The forms of the account view. `do` is the name of the button (`ACCOUNT_ACTIONS`). */
export const accountForm = z.discriminatedUnion("do", [
  defineForm("claim"),
  ...actionName.options.filter((name) => name !== "claim").map((name) => defineForm(name)),
]);
export type AccountForm = z.infer<typeof accountForm>;

/** The form to report a problem. People do not see the field `website`; if it is filled, a program sent the form. */
export const reportForm = z.object({
  page: text.default(""),
  text: z.string().default(""),
  email: text.default(""),
  website: text.default(""),
});
export type ReportForm = z.infer<typeof reportForm>;

export const measureForm = z.object({ identifier: text });
export const eraseForm = z.object({ sure: z.literal("yes", "tick the box to confirm") });
export const keyForm = z.object({ name: text, email: text, description: text.default("") });
