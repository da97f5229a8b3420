/** The five parts of a score, or of the mean of several, as bars: each of twenty points. */

import { BUCKETS, type BucketId } from "../../schemas/public/signal.ts";
import type { Html } from "../html.ts";
import { bars } from "./bars.ts";
import { BUCKET_NAMES } from "./words.ts";

type Points = Readonly<Record<BucketId, number | null>>;

/** `figure` says the points of a part. */
export function bucketBars(points: Points, figure = (value: number | null) => `${value} of 20`): Html {
  return bars(
    BUCKETS.map((bucket) => ({
      name: BUCKET_NAMES[bucket],
      value: points[bucket],
      most: 20,
      figure: figure(points[bucket]),
    })),
  );
}
