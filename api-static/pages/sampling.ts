/** The sampling of a release, that is, the records its figures are of: a census only where all there are is known to have come. */

import type { LiveMetrics } from "../../schemas/public/api/metrics.ts";
import type { SourceReceipt } from "../../schemas/public/release.ts";

type Sampling = LiveMetrics["sampling"];

const FRAME = "every record that the sources say they hold";

/**
 * The sampling of the sources that a release was made of; those of which nothing came count as well, where something is
 * expected.
 */
export function samplingOf(sources: readonly Pick<SourceReceipt, "source" | "coverage" | "completeness">[]): Sampling {
  const bySource = sources
    .filter(({ coverage, completeness }) => coverage.harvested > 0 || (completeness?.expected ?? 0) > 0)
    .map(({ source, completeness }) => ({
      source,
      expected: completeness?.expected ?? null,
      got: completeness?.got ?? null,
      complete: completeness?.complete ?? null,
    }));
  const census = bySource.length > 0 && bySource.every(({ complete }) => complete === true);
  return {
    method: census ? "census" : "as_harvested",
    frame: bySource.length > 0 && bySource.every(({ expected }) => expected !== null) ? FRAME : null,
    fraction: fractionOf(bySource),
    bySource,
  };
}

/** What came of what is expected, in ten-thousandths rounded down, so that 1 is all of it; null where that is not known. */
function fractionOf(sources: Sampling["bySource"]): number | null {
  let [got, expected] = [0, 0];
  for (const source of sources) {
    if (source.expected === null || source.got === null) return null;
    got += Math.min(source.got, source.expected);
    expected += source.expected;
  }
  return expected === 0 ? null : Math.floor((10_000 * got) / expected) / 10_000;
}
