/**
 * Pages that another version of the program rendered. Where this one renders them otherwise, nobody forged anything: what
 * differs is unproven, and that version, or a signature, proves it. What is alike is proven all the same.
 */

import { toolVersion } from "../../pipeline/6-release/index.ts";
import { inputDigests } from "../../pipeline/6-release/inputs.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Found, Unproven } from "./finding.ts";

/** The version that rendered a release, where it has other code, words or formats than this; null where it is this one. */
export async function otherRenderer({ tool, content }: Receipt): Promise<string | null> {
  const ours = await inputDigests({ asOf: "", withheld: [], enrichments: {} });
  const shown = Object.keys(content.inputs).filter((name) => /^(contract .*|pledge .*|vocabularies|pages)$/.test(name));
  const alike = tool.version === (await toolVersion()) && shown.every((name) => ours[name] === content.inputs[name]);
  return alike ? null : tool.version;
}

/** Takes a difference, and names the family of pages, or the file, that it is in. */
export function unprovenPages(unproven: Unproven): Found {
  return (_check, detail) => {
    const [name = ""] = detail.split(" ");
    // Details beyond those that are listed are counted.
    if (name === "and") return;
    const [version, family] = name.split("/");
    unproven(/^\d/.test(name) ? `pages/${version}/${family}` : name);
  };
}
