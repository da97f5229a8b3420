/** The services that are asked, how often, and the sizes beyond which anything is refused. */

import { LEAST, TIMES } from "../../pipeline/1-harvest/inputs.ts";
import {
  DEPTH,
  DOCUMENT_BYTES,
  ITEMS,
  LISTED_REFUSALS,
  PAYLOAD_BYTES,
  VALUES,
} from "../../pipeline/1-harvest/opening.ts";
import { HTTP_LIMITS } from "../../pipeline/1-harvest/requests.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { code, codes, table } from "./markdown.ts";

const MEBIBYTE = 1024 * 1024;

const grouped = (count: number) => count.toLocaleString("en-GB");

/** One row a source: the only hosts it is asked at, and the rate it is asked below. */
export async function services(): Promise<string> {
  const rows = SOURCES.map(({ name, hosts, rate }) => [
    code(name),
    codes(hosts),
    `${rate.requests} requests in ${rate.seconds} s`,
  ]);
  return table(["source", "hosts", "at most"], rows);
}

/** What input may take. */
export async function limits(): Promise<string> {
  return table(
    ["what", "limit"],
    [
      ["one line, or one whole document", `${DOCUMENT_BYTES / MEBIBYTE} MiB`],
      ["one record", `${PAYLOAD_BYTES / MEBIBYTE} MiB`],
      ["objects and arrays within one another", `${DEPTH}`],
      ["values of one document of JSON", grouped(VALUES)],
      ["records of one document", grouped(ITEMS)],
      ["a compressed file, once it is none", `${LEAST / MEBIBYTE} MiB and ${TIMES} times its size`],
      ["refusals of one file told one by one", grouped(LISTED_REFUSALS)],
      ["one HTTP answer", `${HTTP_LIMITS.bodyBytes / MEBIBYTE} MiB`],
      ["one HTTP request, body included", `${HTTP_LIMITS.timeoutMs / 1000} s`],
      ["tries of one request", `${HTTP_LIMITS.attempts}`],
      ["redirects of one request", `${HTTP_LIMITS.redirects}`],
    ],
  );
}
