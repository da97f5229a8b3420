/** The statements as a page: one line each, by clause, and how many of them held when it was written. */

import { faultsOf, STATEMENTS } from "./conformance/index.ts";
import type { Statement } from "./conformance/statement.ts";
import type { World } from "./world.ts";

/** Longer addresses are cut: what is long about them is said in words. */
const LONGEST_PATH = 120;

/** Statements that do not hold, with their faults. */
export async function broken(world: World): Promise<ReadonlyMap<Statement, readonly string[]>> {
  const faults = new Map<Statement, readonly string[]>();
  for (const statement of STATEMENTS) {
    const found = await faultsOf(statement, world).catch((error: unknown) => [String(error)]);
    if (found.length > 0) faults.set(statement, found);
  }
  return faults;
}

/** The page as Markdown; `failed` are marked in it. */
export function conformancePage(failed: ReadonlySet<Statement>): string {
  const held = STATEMENTS.length - failed.size;
  const clauses = Map.groupBy(STATEMENTS, ({ clause }) => clause);
  const parts = [...clauses].map(([clause, statements]) =>
    [`## ${clause}`, "", ...statements.map((statement) => lineOf(statement, failed.has(statement)))].join("\n"),
  );
  return `${[HEAD, figure(held), ...parts].join("\n\n")}\n`;
}

/** The figure, as the page and whoever quotes it say it. */
export function figure(held: number): string {
  const percent = ((100 * held) / STATEMENTS.length).toFixed(1);
  return `**${STATEMENTS.length} statements, ${held} hold (${percent} %).**`;
}

const HEAD = [
  "# Conformance",
  "",
  "What `interface.md` and `decisions.md` say of the API, one statement a line: what is asked, and what the answer must",
  "be. Each is asked of a listening server over a real release; the releases that lack something were built without it.",
  "`test/contract/conformance/` holds the statements, and the test suite fails while one of them does not hold.",
  "`npm run conformance` asks them all and writes this page.",
].join("\n");

function lineOf({ says, of, path, question, as, expects }: Statement, failed: boolean): string {
  const target = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  const release = of === "full" ? "" : ` (release: ${of === "none" ? "none yet" : of})`;
  const headers = Object.entries(question.headers ?? {}).map(([name, value]) => `, ${name}: ${value.slice(0, 40)}`);
  const who = as === undefined ? "" : ", signed in";
  const asked = `\`${question.method ?? "GET"} ${target}${headers.join("")}\`${who}`;
  const wanted = expects.map(({ text }) => text).join("; ");
  return `- ${failed ? "**does not hold:** " : ""}${escaped(says)}${release}: ${asked} → ${escaped(wanted)}`;
}

/** What Markdown would read as more than text. */
function escaped(text: string): string {
  return text.replace(/[\\`*_<>[\]]/g, "\\$&").replace(/\p{Cc}/gu, " ");
}
