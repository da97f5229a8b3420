/** Files of releases, which never change: by nginx from the disk, so that they stay up when the server is down. */

import { isMarkup, SANDBOX } from "../routes/headers.ts";
import { FILE_TYPES } from "../routes/media-type.ts";
import { CACHE, HTML_TYPE } from "../routes/route.ts";
import type { NginxOptions } from "./options.ts";
import { errorPages, sharedHeaders } from "./problems.ts";
import { expression, quotedPlain } from "./quote.ts";

const RELEASE = "/releases/sha256-[0-9a-f]{64}";

/** Names that mean nothing to a file system: no escape, no empty part, none that begins with a dot. */
const BELOW = "(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)";

/** The end of a name, as an expression. */
function ending(extension: string): string {
  return `${extension.replaceAll(".", "\\.")}$`;
}

export function downloadMaps(): string {
  const markup = FILE_TYPES.filter(([, type]) => isMarkup(type));
  return `# The address is the path below the store; written in any other way it is the server's to answer.
map $share_target $share_download {
    ${expression(`^${RELEASE}$`)} "$share_target/release.json";
    ${expression(`^${RELEASE}${BELOW}+$`)} $share_target;
    default "";
}

map $share_download $share_download_policy {
${markup.map(([end]) => `    ${expression(ending(end))} "${SANDBOX}";`).join("\n")}
    default "";
}

# The statement that the release was withdrawn: the one that is asked for, else the one that answers.
map "$share_folder $share_download" $share_statement {
    "~^(?<share_kept>.*)/releases/sha256-[0-9a-f]{64} /releases/(?<share_asked>sha256-[0-9a-f]{64})" "$share_kept/retractions/$share_asked.json";
    "~^(?<share_beside>.*)/releases/(?<share_answering>sha256-[0-9a-f]{64}) " "$share_beside/retractions/$share_answering.json";
    default "";
}

map "$request_method $share_release $request_uri" $share_latest {
    ${expression(`^(?:GET|HEAD) sha256:(?<share_active>[0-9a-f]{64}) /releases/latest(?<share_rest>${BELOW}*)$`)} "/releases/sha256-$share_active$share_rest";
    default "";
}
`;
}

export function downloadLocations({ store }: NginxOptions, always: readonly string[]): string[] {
  const types = FILE_TYPES.map(([end, type]) => [end.slice(end.lastIndexOf(".") + 1), type.split(";")[0]] as const);
  // nginx has text/html by itself.
  const text = FILE_TYPES.filter(([, type]) => type.includes("charset") && type !== HTML_TYPE).map(
    ([, type]) => type.split(";")[0],
  );
  return [
    'location ~ "^/releases/sha256-[0-9a-f]{64}(?:/|$)" {',
    `    root ${quotedPlain(store)};`,
    "    try_files $share_download @share_server;",
    "    # A release is made of plain files: a link in it is somebody else's doing and is not followed.",
    "    disable_symlinks on from=$document_root/releases;",
    ...elsewhere("403 404 500"),
    `    types { ${types.map(([end, type]) => `${type} ${end};`).join(" ")} }`,
    "    default_type application/octet-stream;",
    "    charset utf-8;",
    `    charset_types ${[...new Set(text)].join(" ")};`,
    "    # Parts can be asked for, and a download that broke goes on: so they are sent as they are.",
    "    gzip off;",
    "    max_ranges 1;",
    "    etag on;",
    "    if_modified_since off;",
    '    add_header Last-Modified "";',
    "",
    ...[...sharedHeaders(), ...always].map((line) => `    ${line}`),
    `    add_header Cache-Control "${CACHE.immutable}";`,
    "    add_header SHARE-Retracted $share_retracted;",
    "    add_header Content-Security-Policy $share_download_policy;",
    "}",
    "",
    'location ~ "^/releases/latest(?:/|$)" {',
    ...elsewhere("418"),
    '    if ($share_latest = "") {',
    "        return 418;",
    "    }",
    ...[...sharedHeaders(), ...always].map((line) => `    ${line}`),
    `    add_header Cache-Control "${CACHE.page}";`,
    "    return 307 $share_latest;",
    "}",
  ];
}

/** Statuses that are the server's to answer for; nginx's own refusals besides. */
function elsewhere(statuses: string): string[] {
  const pages = errorPages().filter(
    (line) => !statuses.split(" ").some((status) => line.startsWith(`error_page ${status}`)),
  );
  return [`    error_page ${statuses} = @share_server;`, ...pages.map((line) => `    ${line}`)];
}
