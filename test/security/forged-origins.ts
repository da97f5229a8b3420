/** Origins that a request may name without being of the site's own pages. */

/** What another site's page, or a page of nobody's, may say of where it is from. */
export const FORGED: readonly { name: string; origin: (own: string) => string | null }[] = [
  { name: "nowhere", origin: () => null },
  { name: "where browsers will not say", origin: () => "null" },
  { name: "another site", origin: () => "https://evil.example" },
  { name: "this host over TLS", origin: (own) => own.replace("http:", "https:") },
  { name: "another port of this host", origin: () => "http://localhost:1" },
  { name: "this host without its port", origin: () => "http://localhost" },
  { name: "a host that begins like this one", origin: (own) => `${own}.evil.example` },
  { name: "a user of another host", origin: (own) => `${own}@evil.example` },
  { name: "a path of this site", origin: (own) => `${own}/` },
  { name: "two origins", origin: (own) => `${own}, https://evil.example` },
  { name: "this site in capitals", origin: (own) => own.toUpperCase() },
  { name: "nothing at all", origin: () => "" },
];
