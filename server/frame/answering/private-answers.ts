/** Answers about one person: no cache keeps them. */

import { paginationOf } from "../../../api-static/pages/list.ts";
import { CACHE } from "../../../api-static/routes/route.ts";
import type { AccountListQuery } from "../../../schemas/public/account/list.ts";
import type { Pagination } from "../../../schemas/public/api/common.ts";
import type { Answer } from "./answer.ts";
import { jsonAnswer, madeAnswer } from "./json-answer.ts";

export function shownAnswer(value: unknown): Answer {
  return jsonAnswer(value, CACHE.never);
}

export function deletedAnswer(): Answer {
  return madeAnswer(200, { deleted: true });
}

/** Shows what is being looked up. */
export async function shown(value: Promise<object>): Promise<Answer> {
  return shownAnswer(await value);
}

/** Shows what is being made, as something new. */
export async function created(value: Promise<object>): Promise<Answer> {
  return madeAnswer(201, await value);
}

/** Says that it is gone, once it is. */
export async function removed(work: Promise<void>): Promise<Answer> {
  await work;
  return deletedAnswer();
}

/** One page of what an account has. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly pagination: Pagination;
}

export function pageOf<Row>(data: readonly Row[], total: number, asked: AccountListQuery): Page<Row> {
  return { data, pagination: paginationOf({ ...asked, total }) };
}

/** Rows before a page. */
export function offsetOf({ page, limit }: AccountListQuery): number {
  return (page - 1) * limit;
}
