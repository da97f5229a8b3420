/** The question to OpenNeuro's GraphQL service about a dataset (schema of openneuro-server, read in 2026). */

const DATASET = `
  id name created public publishDate
  metadata {
    datasetName datasetUrl firstSnapshotCreatedAt latestSnapshotCreatedAt dxStatus tasksCompleted trialCount studyDesign
    studyDomain studyLongitudinal dataProcessed species associatedPaperDOI openneuroPaperDOI seniorAuthor ages modalities
    grantFunderName grantIdentifier affirmedConsent
  }
  analytics { views downloads }
  latestSnapshot {
    id tag created readme
    deprecated { cause timestamp }
    description {
      Name BIDSVersion License Authors SeniorAuthor Acknowledgements HowToAcknowledge Funding ReferencesAndLinks DatasetDOI
      EthicsApprovals
    }
    summary {
      modalities secondaryModalities sessions subjects tasks size totalFiles dataProcessed
      subjectMetadata { participantId age sex group }
    }
    files { id filename size directory annexed }
  }`;

/** A page of public datasets, oldest first: what is added while we walk comes at the end. */
const LIST = `query ($first: Int, $after: String) {
  datasets(first: $first, after: $after, orderBy: { created: ascending }, filterBy: { public: true }) {
    edges { node { ${DATASET} } }
    pageInfo { endCursor hasNextPage count }
  }
}`;

const ONE = `query ($id: ID!) { dataset(id: $id) { ${DATASET} } }`;

/** Body of a request for a page of datasets. */
export function listBody(first: number, after: string | null): string {
  return JSON.stringify({ query: LIST, variables: { first, after } });
}

/** Body of a request for one dataset. */
export function datasetBody(id: string): string {
  return JSON.stringify({ query: ONE, variables: { id } });
}
