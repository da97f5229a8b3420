/** The option that selects the contract of an evaluation. */

import { Option } from "commander";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type Rubric } from "../../schemas/public/rubric.ts";
import { UsageError } from "./exit-codes.ts";

export const contractOption = new Option("--rubric <version>", "Public version or exact contract")
  .choices([...PUBLIC_VERSIONS, ...CONTRACTS])
  .default(PUBLIC_VERSIONS[0]);

export function contractNamed(version: string): Rubric {
  for (const contract of readContracts().values()) {
    if (contract.contract === version || contract.publicVersion === version) return contract;
  }
  throw new UsageError(
    `there is no SHARE version or contract ${version}; the versions are ${[...PUBLIC_VERSIONS, ...CONTRACTS].join(", ")}`,
  );
}
