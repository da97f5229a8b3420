/** ro-crate-metadata.json: a release as an RO-Crate (version 1.2), with how it was made. */

import { PUBLICATION } from "../../schemas/public/descriptors.ts";
import { licenceIn } from "./citation.ts";
import type { DescribedFile } from "./described-files.ts";
import type { UnsealedRelease } from "./index.ts";

const VERSION = "https://w3id.org/ro/crate/1.2";

/** The descriptor. */
export function roCrate(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const { publisher } = PUBLICATION;
  const licence = licenceIn(receipt);
  const parts = files.map(fileEntity);
  const { name, version } = receipt.tool;
  // The program has no page of its own; a package URL is the address that names it, and this version of it.
  const tool = `pkg:generic/${name}@${version}`;
  return {
    "@context": `${VERSION}/context`,
    "@graph": [
      {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        conformsTo: { "@id": VERSION },
        about: { "@id": "./" },
      },
      {
        "@id": "./",
        "@type": "Dataset",
        name: `${PUBLICATION.title} ${receipt.scoreReleaseVersion}`,
        description: PUBLICATION.summary,
        identifier: receipt.releaseDigest,
        version: receipt.scoreReleaseVersion,
        datePublished: receipt.publishedAt,
        temporalCoverage: receipt.asOf,
        keywords: PUBLICATION.keywords.join(", "),
        license: { "@id": licence.url },
        publisher: { "@id": "#publisher" },
        author: { "@id": "#publisher" },
        hasPart: parts.map((part) => ({ "@id": part["@id"] })),
        mentions: { "@id": "#build" },
      },
      { "@id": licence.url, "@type": "CreativeWork", name: licence.title, identifier: licence.id },
      { "@id": "#publisher", "@type": "Organization", name: publisher },
      { "@id": tool, "@type": "SoftwareApplication", name, version, url: tool },
      {
        "@id": "#build",
        "@type": "CreateAction",
        name: `Build as of ${receipt.asOf}`,
        description: `Scored under ${receipt.rubrics.map(({ contract }) => contract).join(" and ")} with ${receipt.tool.engine}`,
        instrument: { "@id": tool },
        result: { "@id": "./" },
        endTime: receipt.publishedAt,
      },
      ...parts,
    ],
  };
}

function fileEntity({ path, bytes, sha256, holds, mediaType }: DescribedFile) {
  return {
    "@id": path,
    "@type": "File",
    name: path.replace(/^data\//, ""),
    description: holds,
    encodingFormat: mediaType,
    contentSize: String(bytes),
    sha256,
  };
}
