// CloudFront Function (runtime cloudfront-js-2.0) for the event "viewer request" of the behaviour of the bucket. It makes the
// URL of an object from the URL of a page. `share-server` is the ID of the origin with the server. The cache key needs the
// headers Accept and X-API-Key, and all query strings.
import cf from "cloudfront";

const RUBRICS = { "1.0": "/1.0", "2.0": "" };

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name.
function handler({ request }) {
  const { uri, method, headers, querystring } = request;
  const names = Object.keys(querystring);
  const rubric = querystring.rubric;
  const isPlain = names.length === 0;
  const folder = names.length === 1 && rubric && !rubric.multiValue ? RUBRICS[rubric.value] : undefined;
  const accept = headers.accept ? headers.accept.value : "";
  const isFile = (method === "GET" || method === "HEAD") && !headers["x-api-key"];
  if (!isFile || (!isPlain && folder === undefined) || /csv|text\/\*|ld\+json|ndjson|arrow/i.test(accept)) {
    cf.selectRequestOriginById("share-server");
    return request;
  }
  request.uri = uri === "/" ? "/index.html" : `${isPlain ? "" : folder}${uri}`;
  request.querystring = {};
  headers.accept = { value: "*/*" };
  return request;
}
