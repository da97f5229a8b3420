/** /account/measurements: saved evaluations, to compare with later ones. */

import type { Selectable } from "kysely";
import { z } from "zod";
import { type MeasurementRow, measurementKey, type measurements } from "../../schemas/public/account/measurement.ts";
import { rubricVersion } from "../../schemas/public/api/evaluation.ts";
import type { Evaluations } from "../evaluations/index.ts";
import { readTarget } from "../evaluations/request.ts";
import { respond, respondCreated } from "../http/response.ts";
import { type BodyOf, type Handlers, unknownKey } from "../http/routes.ts";
import {
  type AccountServices,
  makeItemHandlers,
  type OwnedItems,
  ownedItems,
  ownRows,
  requireFreePlace,
  type StoredItems,
  withLockedAccount,
} from "./items.ts";
import { newId } from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

type StoredRow = Selectable<AccountTables["measurement"]>;
type ListedRow = Omit<StoredRow, "account_id" | "evaluation">;

/** How saved evaluations are stored and listed. Lists leave out the evaluation itself, which may have thousands of creators. */
const MEASUREMENTS: StoredItems<ListedRow, MeasurementRow> = {
  item: "measurements",
  table: "measurement",
  columns: ["id", "identifier", "rubric_version", "record_id", "repository", "title", "total", "created_at"],
  order: ["created_at", "id"],
  key: measurementKey,
  show: (rows) => rows.map(measurementRow),
};

export const OWN_MEASUREMENTS: OwnedItems = {
  ...ownedItems(MEASUREMENTS),
  exported: async (accountId, services) => exportedMeasurements(accountId, services),
};

export function measurementHandlers(services: AccountServices): Handlers<keyof typeof measurements.routes> {
  const { list, remove } = makeItemHandlers(MEASUREMENTS, services);
  return {
    measurements: list,
    "new-measurement": ({ signed, body }) => respondCreated(addMeasurement(signed.accountId, body, services)),
    measurement: ({ signed, key }) => respond(findMeasurement(signed.accountId, key, services)),
    "delete-measurement": remove,
  };
}

/** A saved evaluation. Its form is not known, because another version of this program may have stored it. */
interface StoredMeasurement extends MeasurementRow {
  readonly evaluation: unknown;
}

const storedEvaluation = z.object({ evaluation: z.unknown() });

/**
 * Evaluates a dataset, and stores the result in the account.
 * @throws ProblemError `account-full`, and the problems of POST /evaluations
 */
async function addMeasurement(
  accountId: string,
  body: BodyOf<"new-measurement">,
  context: AccountServices,
): Promise<StoredMeasurement> {
  const target = readTarget(body);
  // The limit is checked before the request to the source, and again when the row is written.
  await requireFreePlace(context.accounts.db, MEASUREMENTS, accountId);
  const { evaluation } = await context.evaluations.evaluate(target);
  const { id, repository, title, score } = evaluation.record;
  const row: StoredRow = {
    id: newId("m"),
    account_id: accountId,
    identifier: target.text,
    rubric_version: target.rubricVersion,
    record_id: id,
    repository,
    title,
    total: score?.total ?? null,
    created_at: context.now().toISOString(),
    evaluation: JSON.stringify(evaluation),
  };
  await withLockedAccount(context.accounts, accountId, async (trx) => {
    await requireFreePlace(trx, MEASUREMENTS, accountId);
    await trx.insertInto("measurement").values(row).execute();
  });
  return measurementForApi(row, context.evaluations);
}

/**
 * Finds a saved evaluation of the account by its ID.
 * @throws ProblemError `not-found`, also if the evaluation belongs to another account
 */
async function findMeasurement(
  accountId: string,
  id: string,
  { accounts, evaluations }: AccountServices,
): Promise<StoredMeasurement> {
  const [row] = await completeRows(accountId, [id], accounts);
  if (row === undefined) throw unknownKey(measurementKey);
  return measurementForApi(row, evaluations);
}

/** Reads complete rows, with the evaluations that lists leave out. */
function completeRows(accountId: string, ids: readonly string[], { db }: Pick<AccountServices["accounts"], "db">) {
  const { columns: _listed, ...complete } = MEASUREMENTS;
  return ownRows<StoredRow>(db, complete, accountId, { ids });
}

/** Number of evaluations that the export reads at a time. */
const EVALUATIONS_AT_ONCE = 10;

async function* exportedMeasurements(
  accountId: string,
  { accounts, evaluations }: Pick<AccountServices, "accounts" | "evaluations">,
): AsyncGenerator<object, void, undefined> {
  const ids = (await ownRows(accounts.db, MEASUREMENTS, accountId)).map(({ id }) => id);
  for (let first = 0; first < ids.length; first += EVALUATIONS_AT_ONCE) {
    const rows = await completeRows(accountId, ids.slice(first, first + EVALUATIONS_AT_ONCE), accounts);
    for (const row of rows) yield await measurementForApi(row, evaluations);
  }
}

/** Returns a saved evaluation. Replaces creators who have been hidden since it was saved, as the next release will. */
async function measurementForApi(
  row: StoredRow,
  evaluations: Pick<Evaluations, "withCurrentHidden">,
): Promise<StoredMeasurement> {
  const { evaluation } = storedEvaluation.parse(
    await evaluations.withCurrentHidden({ evaluation: JSON.parse(row.evaluation) }),
  );
  return { ...measurementRow(row), evaluation };
}

function measurementRow(row: ListedRow): MeasurementRow {
  return {
    id: row.id,
    identifier: row.identifier,
    rubricVersion: rubricVersion.parse(row.rubric_version),
    recordId: row.record_id,
    repository: row.repository,
    title: row.title,
    total: row.total,
    createdAt: row.created_at,
  };
}
