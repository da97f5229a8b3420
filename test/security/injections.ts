/** Texts for injection tests. They have an effect if a program does not treat them as plain text. */

/** Strings that act on a database, a header, a page or a terminal if they are not treated as text. */
export const INJECTIONS = [
  "'; drop table account; --",
  "' or '1'='1",
  '" or ""="',
  "'); delete from session where ('1'='1",
  "\\'; update account set email = null; --",
  "x' union select digest from session --",
  "$1 ? :id $$ %s",
  "10.5072/x'or'1'='1;--",
  "a\r\nset-cookie: share_session=evil",
  "a\nlocation: https://evil.example",
  "a\u0000b",
  "a\u2028set-cookie: evil",
  "<script>alert(1)</script>",
  "../../etc/passwd",
] as const;
