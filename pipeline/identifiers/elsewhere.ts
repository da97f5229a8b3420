/** Identifiers that are well formed and of services that are no source here: one row a form, so that a refusal can name it. */

import { SOURCES } from "../sources/index.ts";

interface Form {
  /** Whose identifiers they are, as it stands behind "an identifier of". */
  readonly service: string;
  readonly pattern: RegExp;
  /** The source that takes them where it is there; its other accessions are still refused. */
  readonly source?: string;
}

const FORMS: readonly Form[] = [
  { service: "GEO", pattern: /^GSE\d{1,9}$/i, source: "geo" },
  { service: "GEO's samples, platforms or curated sets (give the series, GSE…)", pattern: /^(?:GSM|GPL|GDS)\d{1,9}$/i },
  { service: "SRA", pattern: /^(?:PRJ(?:NA|EB|DB)\d{1,9}|[SED]RP\d{6,9})$/i, source: "sra" },
  { service: "SRA's runs, samples or experiments (give the study, SRP… or PRJ…)", pattern: /^[SED]R[RSXA]\d{6,9}$/i },
  { service: "BioSample", pattern: /^SAM(?:N|EA|D)\d{6,12}$/i },
  { service: "OpenNeuro", pattern: /^ds\d{6}$/i, source: "openneuro" },
  { service: "NASA Earthdata", pattern: /^C\d{1,18}-[A-Z0-9_]{1,40}$/i, source: "nasa_cmr" },
  { service: "NASA Earthdata's granules", pattern: /^G\d{1,18}-[A-Z0-9_]{1,40}$/i },
  { service: "EDI", pattern: /^(?:knb-lter-[a-z]{3}|edi|ecotrends|cos-spu)\.\d{1,9}\.\d{1,9}$/i, source: "edi" },
  { service: "dbGaP", pattern: /^phs\d{6}(?:\.v\d+(?:\.p\d+)?)?$/i },
  { service: "the European Genome-phenome Archive", pattern: /^EGA[DSCPR]\d{11}$/i },
  { service: "ArrayExpress and BioStudies", pattern: /^(?:E-[A-Z]{4}-\d{1,6}|S-[A-Z]{2,8}\d{1,8})$/i },
  { service: "ProteomeXchange", pattern: /^[PR]?PXD\d{6}$/i },
  { service: "MetaboLights", pattern: /^MTBLS\d{1,6}$/i },
  { service: "Metabolomics Workbench", pattern: /^ST\d{6}$/i },
  { service: "EMDB", pattern: /^EMD-\d{4,5}$/i },
  { service: "EMPIAR", pattern: /^EMPIAR-\d{5}$/i },
  { service: "the European Clinical Trials Register", pattern: /^(?:EUCTR)?\d{4}-\d{6}-\d{2}(?:-[A-Z]{2,3})?$/i },
  { service: "the ISRCTN registry", pattern: /^ISRCTN\d{8}$/i },
  { service: "arXiv", pattern: /^(?:arxiv:\s*)(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?$/i },
  { service: "PubMed", pattern: /^(?:pmid:\s*)\d{1,9}$/i },
  { service: "PubMed Central", pattern: /^PMC\d{3,9}$/i },
  { service: "ORCID, that is of a person", pattern: /^(?:https?:\/\/orcid\.org\/)?\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/i },
  { service: "the Handle system", pattern: /^(?:hdl:|https?:\/\/hdl\.handle\.net\/)(?!10\.)\d[\d.]*\/\S+$/i },
  { service: "ARK", pattern: /^(?:https?:\/\/n2t\.net\/)?ark:\/?\d{5,9}\/\S+$/i },
  { service: "the URN system", pattern: /^urn:(?!doi:)[a-z0-9][a-z0-9-]{1,31}:\S+$/i },
];

/** Services by the domain of their landing pages. */
const SITES: Readonly<Record<string, string>> = {
  "arxiv.org": "arXiv",
  "b2share.eudat.eu": "B2SHARE",
  "data.gov": "Data.gov",
  "data.mendeley.com": "Mendeley Data",
  "ebi.ac.uk": "EMBL-EBI",
  "ega-archive.org": "the European Genome-phenome Archive",
  "gbif.org": "GBIF",
  "github.com": "GitHub",
  "huggingface.co": "Hugging Face",
  "icpsr.umich.edu": "ICPSR",
  "kaggle.com": "Kaggle",
  "pangaea.de": "PANGAEA",
  "physionet.org": "PhysioNet",
  "pubmed.ncbi.nlm.nih.gov": "PubMed",
  "rcsb.org": "the Protein Data Bank",
  "synapse.org": "Synapse",
  "ukdataservice.ac.uk": "the UK Data Service",
};

/** The service that `text` is an identifier or a landing page of; null if it is neither, or if the service is a source. */
export function elsewhere(text: string): string | null {
  const form = FORMS.find(({ pattern }) => pattern.test(text));
  if (form === undefined) return siteOf(text);
  return SOURCES.some(({ name }) => name === form.source) ? null : form.service;
}

function siteOf(text: string): string | null {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return null;
  const { hostname, pathname, search } = new URL(text);
  if (pathname + search === "/") return null;
  const found = Object.entries(SITES).find(([domain]) => hostname === domain || hostname.endsWith(`.${domain}`));
  return found?.[1] ?? null;
}
