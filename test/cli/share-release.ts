/** The program share-release as a module for test/support/command-host.ts, which runs many commands in one process. */

import { main } from "../../cli/main.ts";
import { SHARE_RELEASE } from "../support/command-line.ts";

export function run(parameters: readonly string[]): Promise<void> {
  return main([process.execPath, SHARE_RELEASE, ...parameters]);
}
