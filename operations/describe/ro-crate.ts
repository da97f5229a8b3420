/** ro-crate-metadata.json: a release as an RO-Crate (version 1.1), with how it was made. */

import type { UnsealedRelease } from "../../pipeline/6-release/unsealed-release.ts";
import { PUBLICATION } from "../../schemas/public/descriptors.ts";
import { licenceIn } from "./data-licence.ts";
import type { DescribedFile } from "./files.ts";

const VERSION = "https://w3id.org/ro/crate/1.1";

/** Terms of schema.org that the context of 1.1 is too old to have. */
const TERMS = { sha256: "https://schema.org/sha256" };

/** The descriptor. */
export function roCrate(receipt: UnsealedRelease["receipt"], files: readonly DescribedFile[]) {
  const { publisher } = PUBLICATION;
  const licence = licenceIn(receipt);
  const parts = files.map(fileEntity);
  return {
    "@context": [`${VERSION}/context`, TERMS],
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
      { "@id": "#tool", "@type": "SoftwareApplication", name: receipt.tool.name, version: receipt.tool.version },
      {
        "@id": "#build",
        "@type": "CreateAction",
        name: `Build as of ${receipt.asOf}`,
        description: `Scored under ${receipt.rubrics.map(({ contract }) => contract).join(" and ")} with ${receipt.tool.engine}`,
        instrument: { "@id": "#tool" },
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
    name: holds,
    encodingFormat: path.endsWith(".gz") ? "application/gzip" : mediaType,
    contentSize: String(bytes),
    sha256,
  };
}
