/**
 * Says what a JSON document is if it is a response of a service but not the metadata of one dataset: an error, a list, or
 * another resource of JSON:API. For documents that no source recognises.
 */

import { asList, asObject, asText, at, firstText, type Json } from "../reading/reader.ts";
import { displayText } from "../reading/text.ts";

/** Returns the end of a sentence that begins with the name of the file; null if the document is none of these. */
export function describeOtherAnswer(document: unknown): string | null {
  const records = recordsIn(document);
  if (records > 1) return `is a list of ${records} records: give a file with one of them`;
  const object = asObject(document);
  if (object === null) return null;
  const error = errorIn(object);
  if (error !== null) {
    return `is an error response ("${displayText(error, MAX_ERROR)}"), not metadata: request the dataset again`;
  }
  const resource = asObject(object.data) ?? object;
  const type = asText(resource.type);
  if (type === null || asObject(resource.attributes) === null) return null;
  return `is a JSON:API resource of type "${displayText(type, 40)}", and only datasets have a score`;
}

const MAX_ERROR = 100;

/** Members of metadata. A document with one of them is neither an error nor a list. */
const METADATA = ["attributes", "authors", "creators", "description", "descriptions", "metadata", "name", "titles"];

const isMetadata = (object: Json) => METADATA.some((key) => Object.hasOwn(object, key));

/** Members that contain the records of a response, possibly one in another, such as `hits.hits` or `response.docs`. */
const LISTS = ["data", "docs", "entry", "feed", "hits", "items", "response", "results"];

/** Returns the number of objects in the list that a response consists of; zero for another document. */
function recordsIn(document: unknown): number {
  const object = asObject(document);
  if (object !== null && (isMetadata(object) || asText(object.title) !== null)) return 0;
  const outer = object === null ? [document] : LISTS.map((key) => object[key]);
  const inner = outer.flatMap((value) => LISTS.map((key) => at(value, key)));
  // HAL names the list after its records, such as `_embedded["stash:datasets"]`.
  const embedded = Object.values(asObject(object?._embedded) ?? {});
  const sizes = [...outer, ...inner, ...embedded].map((list) => asList(list).filter((item) => asObject(item)).length);
  return Math.max(...sizes);
}

/** Returns the message of an error response, or its status; null for another document. */
function errorIn(object: Json): string | null {
  if (isMetadata(object)) return null;
  const [stated] = [object.errors ?? object.error].flat();
  // NCBI puts the error into the result.
  const nested = Object.values(object).map((value) => asText(at(value, "ERROR")));
  const found = firstText(at(stated, "title"), at(stated, "detail"), at(stated, "message"), stated, ...nested);
  if (found !== null) return found;
  const status = firstText(object.status, object.code, object["response-code"]);
  if (status === null || !/^(?:[45]\d\d|error)$/i.test(status)) return null;
  return firstText(object.title, object.message, object["user-message"]) ?? status;
}
