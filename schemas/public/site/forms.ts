/** Fields of the site's forms. Unknown fields are ignored. */

import { z } from "zod";
import { type AccountAction, mapped } from "../account/items.ts";
import { ACCOUNT_ACTIONS, type ActionName } from "../account/me.ts";
import { MAX_DRAFT_BYTES } from "../text.ts";

const MAX_FIELD_LENGTH = 2048;

/** Characters of a list of identifiers. */
export const MAX_LIST_BYTES = 3 * 1024 * 1024;

const text = z.string().max(MAX_FIELD_LENGTH, `must have at most ${MAX_FIELD_LENGTH} characters`);

/** The handler rejects an empty identifier, so that the page shows its form again. */
export const checkForm = z.object({
  identifier: text.default(""),
  /** `true` for a check that never answers from the release. */
  fresh: z.enum(["", "true"]).default(""),
});

/** A list of identifiers: pasted, or the text of a file. `form` is `csv` for a download. */
export const checkListForm = z.object({
  identifiers: z.string().max(MAX_LIST_BYTES).default(""),
  file: z.string().max(MAX_LIST_BYTES).default(""),
  form: text.default(""),
});

/** Fields to enter metadata in place of a file. */
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
  /** The text of a selected file. Either it or the pasted draft is used. */
  file: z.string().default(""),
  pasted: z.string().default(""),
  /** `fields` if the form without a file was sent. */
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

/** The forms of the account view. `do` is the name of the button. */
export const accountForm = z.discriminatedUnion("do", [
  defineForm("claim"),
  ...actionName.options.filter((name) => name !== "claim").map((name) => defineForm(name)),
]);
export type AccountForm = z.infer<typeof accountForm>;

/** `website` is empty unless a program filled in every field. */
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
