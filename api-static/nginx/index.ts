/**
 * The configuration of an nginx in front of the server, made of the one list of addresses: canonical requests are
 * answered from the page files of the release that `serving` leads to, everything else goes to the server.
 */

import { RETRACTED } from "../routes/headers.ts";
import { PAGES, ROUTES } from "../routes/index.ts";
import { ARROW_TYPE, CSV_TYPE, LARGEST_BODY, LINKED_DATA_TYPE, NDJSON_TYPE } from "../routes/route.ts";
import { badgeMaps } from "./badges.ts";
import { downloadLocations, downloadMaps } from "./downloads.ts";
import { guardLines, guardZone, realAddressLines } from "./guard.ts";
import { type GivenNginxOptions, type NginxOptions, nginxOptions } from "./options.ts";
import { fileKinds, kindMaps, pageMaps } from "./page-maps.ts";
import { errorPages, problemLocations, problemMaps, sharedHeaders } from "./problems.ts";
import { cacheBlock, proxyLocation, upstreamBlock } from "./proxy.ts";
import { dollarBlock, quotedPlain } from "./quote.ts";
import { hstsLines, listenLines, redirectServer } from "./tls.ts";

/**
 * Text for nginx's `http` context, nginx 1.22 or later.
 * @throws ZodError for options that nginx could not be given
 */
export function nginxConfiguration(given: GivenNginxOptions): string {
  const options = nginxOptions.parse(given);
  return [
    heading(options),
    dollarBlock(options.store),
    chapter("Which file answers", "The release, from where `serving` leads; no reload when it moves."),
    RELEASE_MAP,
    UNTOLD_MAP,
    pageMaps(),
    chapter("What files are answered with"),
    kindMaps(),
    downloadMaps(),
    chapter("Who asks, and how often", "IPv4 by address, IPv6 by network of 64 bits; badges apart from all else."),
    badgeMaps(),
    guardZone(options),
    chapter("The server, and what is kept of its answers"),
    upstreamBlock(options),
    cacheBlock(options),
    chapter("What nginx refuses by itself", "In the words of the server: problem documents (RFC 9457)."),
    problemMaps(),
    redirectServer(options),
    serverBlock(options),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function heading({ store, upstream }: NginxOptions): string {
  return `# SHARE scoring service: nginx in front of the server. Made by \`share-release nginx\`: change its options, not this text.
#
# Goes into the http context, for instance as /etc/nginx/conf.d/share-release.conf; then nginx -t, then a reload.
#   files    ${store}/pages, as \`share-release publish --pages\` makes them, and ${store}/releases: nginx's workers read both
#   server   ${upstream.join(", ")}, started with --trust-proxy and the address nginx connects from
# Requests for canonical addresses, to the letter, are answered from files; all others, and everything about
# researchers, go to the server, so that who asked to be hidden is.
`;
}

function chapter(title: string, ...sentences: readonly string[]): string {
  return [`# ${title}`, `# ${"-".repeat(title.length)}`, ...sentences.map((sentence) => `# ${sentence}`), ""].join(
    "\n",
  );
}

const UNTOLD_MAP = `# A retraction lies there, and the server does not say so yet.
map "$share_retracted:$upstream_http_share_retracted" $share_untold {
    "${RETRACTED["share-retracted"]}:" 1;
    default "";
}
`;

/** The folder goes through a map, which keeps its value; the variable itself would be looked up at every mention. */
const RELEASE_MAP = `map $realpath_root $share_resolved {
    "~^(?<share_found>.+/sha256-[0-9a-f]{64})$" $share_found;
    default "";
}

# Page files lie beside the releases; where nobody published them there, pages are the server's to answer for.
map $share_folder $share_tree {
    "~^(?<share_store>.*)/releases/(?<share_name>sha256-[0-9a-f]{64})$" "$share_store/pages/$share_name";
    default "";
}

map $share_folder $share_release {
    "~/sha256-(?<share_hex>[0-9a-f]{64})$" "sha256:$share_hex";
    default "";
}
`;

function serverBlock(options: NginxOptions): string {
  return `server {
${indented(settings(options))}

${indented(fileLocation(options))}

${indented(largeBodies())}

${indented(downloadLocations(options, hstsLines(options)))}

${indented(proxyLocation(hstsLines(options)))}

${indented(problemLocations(hstsLines(options)))}
}
`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => (line === "" ? "" : `    ${line}`)).join("\n");
}

function settings(options: NginxOptions): string[] {
  return [
    ...listenLines(options),
    ...(options.serverNames.length === 0 ? [] : [`server_name ${options.serverNames.join(" ")};`]),
    "",
    "# Where the link leads is looked up once for each request: file and header are of one release, whatever moves meanwhile.",
    `root ${quotedPlain(`${options.store}/serving`)};`,
    "set $share_folder $share_resolved;",
    "# What was withdrawn says so, as the server does: a statement lies beside the releases.",
    'set $share_retracted "";',
    "if (-f $share_statement) {",
    `    set $share_retracted "${RETRACTED["share-retracted"]}";`,
    "}",
    "",
    ...realAddressLines(options).flatMap((line, i) =>
      i === 0 ? ["# Whose word on the client's address is believed.", line] : [line],
    ),
    "# A coarse guard; the quota is the server's.",
    ...guardLines(options),
    "",
    "server_tokens off;",
    "merge_slashes off;",
    "absolute_redirect off;",
    `client_max_body_size ${LARGEST_BODY / 1024}k;`,
    "client_body_buffer_size 64k;",
    "large_client_header_buffers 4 16k;",
    "client_header_timeout 15s;",
    "client_body_timeout 15s;",
    "send_timeout 30s;",
    "keepalive_timeout 65s;",
    "",
    ...compression(),
    "",
    "recursive_error_pages on;",
    ...errorPages(),
  ];
}

/** Types that get smaller; pictures and packed files do not. */
const PACKED = /^text\/(?!html)|json$|xml$|arrow\.stream$/;

/** The same answers as the server compresses; each says itself what it varies by. */
function compression(): string[] {
  const types = [
    ...fileKinds().map(({ contentType }) => contentType),
    ...[...ROUTES, ...PAGES].map(({ contentType }) => contentType),
    ...[CSV_TYPE, NDJSON_TYPE, ARROW_TYPE, LINKED_DATA_TYPE, "application/problem+json"],
  ];
  // HTML is compressed unasked, and nginx complains of who asks.
  const names = new Set(types.map((type) => type.split(";")[0] ?? "").filter((type) => PACKED.test(type)));
  return [
    "gzip on;",
    "gzip_vary off;",
    "gzip_proxied any;",
    "gzip_min_length 1024;",
    "gzip_comp_level 5;",
    `gzip_types ${[...names].join(" ")};`,
  ];
}

/** Addresses that take more than others do; the server has the last word on each. */
function largeBodies(): string[] {
  return [...ROUTES, ...PAGES]
    .filter(({ largestBody }) => largestBody > LARGEST_BODY)
    .flatMap(({ path, largestBody }) => [
      `location = ${path} {`,
      `    client_max_body_size ${Math.ceil(largestBody / 1024)}k;`,
      "    root $share_tree;",
      "    try_files $share_page @share_server;",
      "}",
    ]);
}

function fileLocation(options: NginxOptions): string[] {
  const types = fileKinds().map(({ contentType, extension }) => [contentType.split(";")[0], extension] as const);
  return [
    "location / {",
    "    root $share_tree;",
    "    try_files $share_page @share_server;",
    "    # A file that went away meanwhile, or cannot be read, is the server's to answer for.",
    "    error_page 403 404 500 = @share_server;",
    ...errorPages()
      .filter((line) => !line.startsWith("error_page 500"))
      .map((line) => `    ${line}`),
    `    types { ${types.map(([type, extension]) => `${type} ${extension};`).join(" ")} }`,
    "    # Pages are small: read and written at once, with their headers, they cost less than sent from the file.",
    "    sendfile off;",
    "    charset utf-8;",
    `    charset_types ${types.map(([type]) => type).join(" ")};`,
    "",
    "    # A file's time is made of its content, for the entity tag; as a time it means nothing.",
    "    etag on;",
    "    if_modified_since off;",
    '    add_header Last-Modified "";',
    "    # As the server does: pages are small, and given whole.",
    "    max_ranges 0;",
    "",
    ...[...sharedHeaders(), ...hstsLines(options)].map((line) => `    ${line}`),
    "    add_header SHARE-Release $share_release;",
    "    add_header SHARE-Retracted $share_retracted;",
    "    add_header Cache-Control $share_cache_control;",
    "    add_header Content-Security-Policy $share_policy;",
    "}",
  ];
}
