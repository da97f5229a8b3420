/** Tests how sources recognise the identifiers that people write, such as "osf.io/abc12" or a DOI. */

import { expect, test } from "vitest";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";

/** Texts, and the id that each source finds in them. DataCite accepts every DOI, and other sources only their own ids. */
const CASES: readonly { readonly text: string; readonly known: Readonly<Record<string, string>> }[] = [
  { text: "10.5281/zenodo.42", known: { zenodo: "42", datacite: "10.5281/zenodo.42" } },
  { text: "https://doi.org/10.5281/ZENODO.42", known: { zenodo: "42", datacite: "10.5281/zenodo.42" } },
  { text: "https://zenodo.org/records/42?x=1", known: { zenodo: "42" } },
  { text: "https://zenodo.org/record/42", known: { zenodo: "42" } },
  { text: "https://zenodo.org/communities/42", known: {} },
  { text: "NCT01234567", known: { clinicaltrials: "NCT01234567" } },
  { text: "https://clinicaltrials.gov/study/nct01234567", known: { clinicaltrials: "NCT01234567" } },
  { text: "https://clinicaltrials.gov/ct2/show/NCT01234567", known: { clinicaltrials: "NCT01234567" } },
  { text: "NCT123", known: {} },
  { text: "doi:10.5061/dryad.X1", known: { dryad: "10.5061/dryad.x1", datacite: "10.5061/dryad.x1" } },
  { text: "https://datadryad.org/stash/dataset/doi:10.5061/dryad.X1", known: { dryad: "10.5061/dryad.x1" } },
  { text: "https://datadryad.org/dataset/doi%3A10.7291%2FD1", known: { dryad: "10.7291/d1" } },
  { text: "ds000001", known: { openneuro: "ds000001" } },
  { text: "https://openneuro.org/datasets/ds000001/versions/1.0.0", known: { openneuro: "ds000001" } },
  {
    text: "10.18112/openneuro.ds000001.v1.0.0",
    known: { openneuro: "ds000001", datacite: "10.18112/openneuro.ds000001.v1.0.0" },
  },
  { text: "gse12", known: { geo: "GSE12" } },
  { text: "https://www.ncbi.nlm.nih.gov/geo/query/acc.cgi?targ=self&acc=GSE12", known: { geo: "GSE12" } },
  { text: "GSM12", known: {} },
  { text: "PRJNA12", known: { sra: "PRJNA12" } },
  { text: "srp000012", known: { sra: "SRP000012" } },
  { text: "https://www.ncbi.nlm.nih.gov/bioproject/PRJNA12", known: { sra: "PRJNA12" } },
  { text: "https://trace.ncbi.nlm.nih.gov/Traces/sra/?study=SRP000012", known: { sra: "SRP000012" } },
  { text: "C12-POCLOUD", known: { nasa_cmr: "C12-POCLOUD" } },
  { text: "https://cmr.earthdata.nasa.gov/search/concepts/C12-POCLOUD.html", known: { nasa_cmr: "C12-POCLOUD" } },
  { text: "knb-lter-abc.12.3", known: { edi: "knb-lter-abc.12.3" } },
  { text: "exampleuser.12.3", known: {} },
  { text: "https://portal.edirepository.org/nis/mapbrowse?packageid=new.1.2", known: { edi: "new.1.2" } },
  { text: "https://portal.edirepository.org/nis/mapbrowse?packageid=edi.1.2", known: { edi: "edi.1.2" } },
  { text: "https://pasta.lternet.edu/package/metadata/eml/edi/1/2", known: { edi: "edi.1.2" } },
  {
    text: "doi_dedup___::0123456789abcdef0123456789abcdef",
    known: { openaire: "doi_dedup___::0123456789abcdef0123456789abcdef" },
  },
  { text: "10.7910/DVN/ABC", known: { dataverse: "10.7910/dvn/abc", datacite: "10.7910/dvn/abc" } },
  {
    text: "https://data.example.org/dataset.xhtml?persistentId=doi:10.9999/XY",
    known: { dataverse: "10.9999/xy" },
  },
  { text: "https://dataverse.harvard.edu/citation?persistentId=hdl:1902.1/7", known: { dataverse: "hdl:1902.1/7" } },
  { text: "10.6084/m9.figshare.12.v3", known: { figshare: "12", datacite: "10.6084/m9.figshare.12.v3" } },
  { text: "https://figshare.com/articles/dataset/A_title/12/3", known: { figshare: "12" } },
  { text: "https://monash.figshare.com/articles/12", known: { figshare: "12" } },
  { text: "https://notfigshare.com/articles/12", known: {} },
  { text: "osf.io/abc12", known: { osf: "abc12" } },
  { text: "https://osf.io/abc12/files/", known: { osf: "abc12" } },
  { text: "10.17605/OSF.IO/ABC12", known: { osf: "abc12", datacite: "10.17605/osf.io/abc12" } },
  { text: "hello", known: {} },
  { text: "", known: {} },
  { text: "https://example.org/", known: {} },
];

test.each(CASES)("only the expected sources recognise an id in $text", ({ text, known }) => {
  const found = SOURCES.flatMap((source) => {
    const id = source.readSourceId(text);
    return id === null ? [] : [[source.name, id]];
  });
  const due = Object.entries(known).filter(([name]) => sourceNamed(name) !== null);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(due));
});
