/** Saying something of the keys of a store: only what everybody takes who trusts one of them, whichever it is. */

import { keepStatements, requireNext, StatementRefused, storeKeys } from "../../pipeline/store/key-statements.ts";
import type { TrustedKey } from "../../pipeline/store/signing/check-signature.ts";
import { trustedKeys } from "../../pipeline/store/signing/trusted-keys.ts";
import type { Store } from "../../pipeline/store/store.ts";
import type { KeyStatement } from "../../schemas/public/key-set.ts";
import type { KeyChange } from "./key-change.ts";

/**
 * Keeps a statement that was signed, and the keys that it is by and of.
 * @throws StatementRefused
 */
export async function say(
  store: Store,
  statement: KeyStatement,
  keys: readonly TrustedKey[],
  change: KeyChange,
): Promise<void> {
  const known = await storeKeys(store);
  requireNext(statement, known.statements);
  for (const { successor: _successor, revoked: _revoked, ...key } of [...known.keys, ...keys]) {
    const { fault } = await trustedKeys([key], [...known.statements, statement]);
    if (fault !== null) throw new StatementRefused(`who trusts the key ${key.kid} alone is told: ${fault}. ${ADVICE}`);
  }
  await keepStatements(store, { keys: [...keys], statements: [statement] }, change);
}

const ADVICE = "Sign it with a key that they come to from theirs: the key itself, or one in its place that is in use";
