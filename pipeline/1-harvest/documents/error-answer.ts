/** Recognises the error bodies of the services we know, so that a recorded failure is not mistaken for an unknown record. */

import { asObject, at, firstText } from "../../reading/reader.ts";

/** The service's own message where `document` is an error answer, else null. */
export function errorAnswerOf(document: unknown): string | null {
  const answer = asObject(document);
  if (answer === null) return null;
  for (const message of [listed(answer), ncbi(answer), coded(answer)]) {
    if (message !== null) return message.slice(0, 300);
  }
  return null;
}

/** JSON:API and its neighbours: `errors` as list, object or text, or `error`. */
function listed(answer: unknown): string | null {
  const errors = at(answer, "errors");
  const first = Array.isArray(errors) ? errors[0] : errors;
  if (errors !== undefined && (at(answer, "data") ?? null) === null) {
    return (
      firstText(first, at(first, "title"), at(first, "detail"), at(first, "message")) ?? "an error without a message"
    );
  }
  const error = at(answer, "error");
  if (error === undefined || error === null || error === false) return null;
  return (
    firstText(at(answer, "error_description"), at(answer, "description"), error, at(error, "message")) ?? "an error"
  );
}

/** NCBI answers errors with 200. */
function ncbi(answer: unknown): string | null {
  const summary = at(answer, "esummaryresult");
  const first = Array.isArray(summary) ? summary[0] : null;
  return firstText(at(answer, "esearchresult", "ERROR"), at(answer, "einforesult", "ERROR"), first);
}

/** A status or a code with a message, and nothing that could be a record. */
function coded(answer: unknown): string | null {
  const message = firstText(
    at(answer, "message"),
    at(answer, "title"),
    at(answer, "detail"),
    at(answer, "user-message"),
    at(answer, "developer-message"),
  );
  const status = at(answer, "status") ?? at(answer, "response-code") ?? at(answer, "code");
  if (message === null) return status === "ERROR" ? "an error without a message" : null;
  if (typeof status === "number" || status === "ERROR" || status === "error") return `${status}: ${message}`;
  return at(answer, "message") !== undefined && at(answer, "id") === undefined ? message : null;
}
