/** What people get wrong, and what they are told: one line each, in the form `share-release: what; what to do`. */

export interface UsageCase {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly exitCode: 1 | 2;
  /** Parts of the line, in order. */
  readonly says: readonly string[];
}

/** Paths are relative to a folder that holds only the file `words.txt`. The store does not exist. */
export const USAGE_CASES: readonly UsageCase[] = [
  { name: "an unknown command", parameters: ["bild"], exitCode: 2, says: ["'bild'", "build", "share-release --help"] },
  {
    name: "an unknown option",
    parameters: ["release", "verify", "--fast"],
    exitCode: 2,
    says: ["'--fast'", "verify --help"],
  },
  {
    name: "an argument too many",
    parameters: ["release", "list", "all"],
    exitCode: 2,
    says: ["all", "release list --help"],
  },
  { name: "no source", parameters: ["harvest"], exitCode: 2, says: ["source", "harvest --help"] },
  {
    name: "an unknown source to harvest",
    parameters: ["harvest", "mendeley", "--from", "words.txt"],
    exitCode: 2,
    says: ['"mendeley"', "clinicaltrials, datacite, dataverse"],
  },
  {
    name: "an unknown source to build",
    parameters: ["build", "--as-of", "2026-11-01", "--source", "zenodo", "mendeley"],
    exitCode: 2,
    says: ["mendeley", "clinicaltrials, datacite, dataverse"],
  },
  ...["zendo", "Zenodo", "zenodo "].flatMap((name): UsageCase[] =>
    [
      ["harvest", name],
      ["build", "--as-of", "2026-11-01", "--source", name],
      ["source", "check", name],
      ["score", "10.5072/x", "--source", name],
    ].map((parameters) => ({
      name: `the mistyped source "${name}" of ${parameters[0]}`,
      parameters,
      exitCode: 2,
      says: [`"${name.trim()}"`, "did you mean zenodo?", "clinicaltrials, datacite"],
    })),
  ),
  {
    name: "a mistyped option where it is the one that is needed",
    parameters: ["release", "prune", "--kep", "5"],
    exitCode: 2,
    says: ["'--kep'", "did you mean --keep?", "release prune --help"],
  },
  {
    name: "a mistyped option",
    parameters: ["release", "verify", "--rescor"],
    exitCode: 2,
    says: ["'--rescor'", "--rescore", "verify --help"],
  },
  {
    name: "a mistyped verb of a group",
    parameters: ["source", "chek"],
    exitCode: 2,
    says: ["'chek'", "check", "source --help"],
  },
  {
    name: "a day that is not yet to build as of",
    parameters: ["build", "--as-of", "2999-12-31"],
    exitCode: 2,
    says: ["--as-of 2999-12-31 is in the future", "(UTC)", "--allow-future"],
  },
  {
    name: "a day that is not yet to harvest from",
    parameters: ["harvest", "zenodo", "--since", "2999-12-31"],
    exitCode: 2,
    says: ["--since 2999-12-31 is in the future", "or last"],
  },
  {
    name: "an address where nobody listens",
    parameters: ["release", "fetch", "http://127.0.0.1:1"],
    exitCode: 1,
    says: ["nobody answers at http://127.0.0.1:1/releases", "is the address right"],
  },
  { name: "no target", parameters: ["release", "publish"], exitCode: 2, says: ["--to", "release publish --help"] },
  ...["2026-02-30", "2026-13-01", "2026-11-1"].map(
    (day): UsageCase => ({
      name: `the day "${day}"`,
      parameters: ["build", "--as-of", day],
      exitCode: 2,
      says: ["--as-of", `'${day}'`, "2026-11-01"],
    }),
  ),
  {
    name: "a day of no calendar to harvest from",
    parameters: ["harvest", "zenodo", "--since", "2026-02-30"],
    exitCode: 2,
    says: ["--since", "'2026-02-30'", "2026-11-01"],
  },
  ...["2026-02-30T00:00:00Z", "2026-10-30T25:00:00Z", "2026-10-30"].map(
    (time): UsageCase => ({
      name: `retrieved at "${time}"`,
      parameters: ["harvest", "zenodo", "--from", "words.txt", "--retrieved-at", time],
      exitCode: 2,
      says: ["--retrieved-at", `'${time}'`, "expected"],
    }),
  ),
  {
    name: "files and a service at once",
    parameters: ["harvest", "zenodo", "--from", "words.txt", "--since", "2026-10-01"],
    exitCode: 2,
    says: ["--since", "--from", "give one"],
  },
  {
    name: "a host of a source that is one service",
    parameters: ["harvest", "zenodo", "--host", "zenodo.example.org"],
    exitCode: 2,
    says: ["--host is for dataverse only", "zenodo is one service, at zenodo.org"],
  },
  {
    name: "a host that is not allowed",
    parameters: ["harvest", "dataverse", "--host", "data.example.org"],
    exitCode: 2,
    says: [
      "data.example.org is not an allowed host",
      "not contacted",
      "dataverse.harvard.edu",
      "SHARE_DATAVERSE_HOSTS=data.example.org",
    ],
  },
  {
    name: "an address for a host",
    parameters: ["harvest", "dataverse", "--host", "https://data.example.org"],
    exitCode: 2,
    says: ["--host https://data.example.org is not a host name", "dataverse.example.org"],
  },
  {
    name: "an OAI-PMH service that is not allowed",
    parameters: ["harvest", "datacite", "--oai-url", "https://data.example.org/oai"],
    exitCode: 2,
    says: ["data.example.org is not an allowed host", "zenodo.org", "SHARE_OAI_HOSTS=data.example.org"],
  },
  {
    name: "a limit of none",
    parameters: ["harvest", "zenodo", "--limit", "0"],
    exitCode: 2,
    says: ["--limit", "at least 1"],
  },
  {
    name: "a contract where a public version is meant",
    parameters: ["build", "--as-of", "2026-11-01", "--rubric", "2.0.0-beta.2"],
    exitCode: 2,
    says: ["--rubric", "'2.0.0-beta.2'", "2.0, 1.0"],
  },
  {
    name: "an unknown part to leave out",
    parameters: ["build", "--as-of", "2026-11-01", "--skip", "attribution,badges"],
    exitCode: 2,
    says: ["--skip", "attribution and history", "badges"],
  },
  {
    name: "no thread",
    parameters: ["build", "--as-of", "2026-11-01", "--threads", "0"],
    exitCode: 2,
    says: ["--threads", "at least 1"],
  },
  {
    name: "memory that is no size",
    parameters: ["build", "--as-of", "2026-11-01", "--memory", "lots"],
    exitCode: 2,
    says: ["--memory", "'lots'", "512MB"],
  },
  {
    name: "a line that is no researcher id",
    parameters: ["build", "--as-of", "2026-11-01", "--exclude-researchers", "words.txt"],
    exitCode: 2,
    says: ["words.txt:1", '"not an id"', "24 hex digits"],
  },
  { name: "no record", parameters: ["fixtures", "--records", "0", "--seed", "1"], exitCode: 2, says: ["at least 1"] },
  { name: "no seed", parameters: ["fixtures", "--records", "9"], exitCode: 2, says: ["--seed", "fixtures --help"] },
  {
    name: "a port there is not",
    parameters: ["serve", "--port", "65536"],
    exitCode: 2,
    says: ["--port", "0 to 65535"],
  },
  ...["a*b", "a?b", "a[b]", "a\\b"].map(
    (store): UsageCase => ({
      name: `the store ${store}, which the engine would read as a pattern`,
      parameters: ["release", "list", "--store", store],
      exitCode: 2,
      says: [`--store ${store}`, "pattern", "choose one without"],
    }),
  ),
  {
    name: "nothing to verify",
    parameters: ["release", "verify"],
    exitCode: 1,
    says: ["there is no store", "--store"],
  },
  {
    name: "a store there is not, to verify",
    parameters: ["release", "verify", "3f9c"],
    exitCode: 1,
    says: ["there is no store", "--store"],
  },
  {
    name: "a store there is not, to activate",
    parameters: ["release", "activate", "sha256:3f9c"],
    exitCode: 1,
    says: ["there is no store", "--store"],
  },
  {
    name: "a path there is not",
    parameters: ["harvest", "zenodo", "--from", "answers"],
    exitCode: 1,
    says: ["answers", "no such file or folder"],
  },
  {
    name: "a list of opt-outs there is not",
    parameters: ["build", "--as-of", "2026-11-01", "--exclude-researchers", "opted-out.txt"],
    exitCode: 1,
    says: ["--exclude-researchers opted-out.txt", "ENOENT", "give a file"],
  },
  {
    name: "a folder for a ROR dump",
    parameters: ["build", "--as-of", "2026-11-01", "--ror", "."],
    exitCode: 1,
    says: ["--ror .", "folder", "give a file"],
  },
];
