/** share-release doctor: checks the store and the machine. */

import type { Command } from "commander";
import { plural } from "../../pipeline/reading/text.ts";
import { AccountStoreError, accountTarget } from "../../pipeline/store/account-target.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { AS_OWNER, examine, isForbidden, type Observation } from "../../releases/doctor/index.ts";
import { ConfigurationError } from "../../server/configuration-error.ts";
import { effectiveSettings, exposedSecrets, setting, unknownVariables } from "../options/environment.ts";
import { FAILED, UsageError } from "../options/exit-codes.ts";
import { command, openChosenStore, type SharedOptions } from "../options/shared.ts";
import { readSiteFace } from "../options/site-face.ts";
import { printLines } from "../terminal/text.ts";

export function doctorCommand(): Command {
  return command(
    "doctor",
    "Show the settings, check the store, disk, permissions, versions, locks and links, and change nothing",
    ["doctor", "doctor --json"],
  ).action(async (options: SharedOptions) => {
    const store = openChosenStore(options);
    const found = [
      ...(await examineSettings()),
      ...(await examineFace()),
      ...(await examine(store, new Date())),
      ...(await examineVersion(store)),
    ];
    const count = (state: Observation["state"]) => found.filter((each) => each.state === state).length;
    const summary = { faults: count("fault"), warnings: count("warning"), checks: found.length };
    const lines = options.json ? [...found, summary].map((line) => JSON.stringify(line)) : found.map(formatObservation);
    if (!options.json) lines.push(`${plural(summary.faults, "fault")}, ${plural(summary.warnings, "warning")}`);
    printLines(lines.join("\n"));
    if (summary.faults > 0) process.exitCode = FAILED;
  });
}

/**
 * Reports the settings that are in effect, without secrets. Also reports names in the environment that look like settings
 * but are not.
 */
async function examineSettings(): Promise<Observation[]> {
  const settings = (await effectiveSettings()).map(({ name, value, origin, problem }): Observation => {
    const detail = `${name} = ${value} (${origin})`;
    return problem === null
      ? { check: "setting", state: "ok", detail }
      : { check: "setting", state: "fault", detail, advice: problem };
  });
  const unknown = (await unknownVariables()).map(({ name, meant }): Observation => {
    return {
      check: "setting",
      state: "note",
      detail: `${name} in the environment is not a setting; did you mean ${meant}? Correct or unset it`,
    };
  });
  const exposed = (await exposedSecrets()).map((path): Observation => {
    const detail = `${path} has a secret, and every user can read it`;
    return { check: "setting", state: "warning", detail, advice: `run \`chmod o= ${path}\`` };
  });
  return [...settings, ...unknown, ...exposed];
}

/** Reports whether the files of the logo, the imprint and the privacy notice can be used. */
async function examineFace(): Promise<Observation[]> {
  try {
    await readSiteFace();
    return [];
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigurationError)) throw error;
    return [{ check: "face", state: "fault", detail: error.message }];
  }
}

/** Reports whether the accounts must be migrated to this program version, or were written by a later one. */
async function examineVersion(store: Store): Promise<Observation[]> {
  const check = "upgrade";
  try {
    const { accountsVersion } = await import("../../server/accounts/database.ts");
    const version = await accountsVersion(accountTarget(setting("DATABASE_URL"), store));
    if (version === null) return [];
    const { stored, known } = version;
    const detail = `the accounts have version ${stored}, and this program uses version ${known}`;
    if (stored === known) return [{ check, state: "ok", detail }];
    const advice =
      stored < known
        ? "back up the accounts; the next start of the server or `share-release account` migrates them, and older programs cannot open them afterwards"
        : "a downgrade is not possible: use the newer program, or restore the backup from before the upgrade";
    return [{ check, state: stored < known ? "warning" : "fault", detail, advice }];
  } catch (error) {
    if (!(error instanceof AccountStoreError)) throw error;
    return [
      {
        check,
        state: "fault",
        detail: error.message,
        advice: isForbidden(error) ? AS_OWNER : "correct DATABASE_URL, or restore the accounts from a backup",
      },
    ];
  }
}

function formatObservation({ check, state, detail, advice }: Observation): string {
  return `${state.padEnd(8)} ${check.padEnd(12)} ${detail}${advice === undefined ? "" : `; ${advice}`}`;
}
