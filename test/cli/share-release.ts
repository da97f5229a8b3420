/** share-release for a host of commands (test/support/command-host.ts): all but the process. */

import { main } from "../../cli/main.ts";
import { SHARE_RELEASE } from "../support/command-line.ts";

export function run(parameters: readonly string[]): Promise<void> {
  return main([process.execPath, SHARE_RELEASE, ...parameters]);
}
