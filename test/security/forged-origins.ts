/** Headers of requests that a page of another site could send. */

const fromOrigin = (origin: (own: string) => string) => (own: string) => ({ origin: origin(own) });
const fetched = (site: string) => () => ({ "sec-fetch-site": site });

/** Kinds of pages, each with the headers that a browser would send for it. `own` is the origin of the attacked site. */
export const FORGED: readonly { name: string; headers: (own: string) => Readonly<Record<string, string>> }[] = [
  { name: "an origin that the browser hides", headers: fromOrigin(() => "null") },
  { name: "another site", headers: fromOrigin(() => "https://evil.example") },
  { name: "this host over HTTPS", headers: fromOrigin((own) => own.replace("http:", "https:")) },
  { name: "another port of this host", headers: fromOrigin(() => "http://localhost:1") },
  { name: "this host without its port", headers: fromOrigin(() => "http://localhost") },
  { name: "a host that begins with this one's name", headers: fromOrigin((own) => `${own}.evil.example`) },
  { name: "a user of another host", headers: fromOrigin((own) => `${own}@evil.example`) },
  { name: "a path of this site", headers: fromOrigin((own) => `${own}/`) },
  { name: "two origins", headers: fromOrigin((own) => `${own}, https://evil.example`) },
  { name: "this site in capitals", headers: fromOrigin((own) => own.toUpperCase()) },
  { name: "an empty origin", headers: fromOrigin(() => "") },
  { name: "another site, by Fetch Metadata", headers: fetched("cross-site") },
  { name: "another host of this domain, by Fetch Metadata", headers: fetched("same-site") },
  { name: "an unknown site, by Fetch Metadata", headers: fetched("") },
  {
    name: "this origin, and another site by Fetch Metadata",
    headers: (own) => ({ origin: own, "sec-fetch-site": "cross-site" }),
  },
];
