/** How every suite runs; the long ones have vitest.soak.config.ts. */

import { configDefaults, defineConfig } from "vitest/config";
import { LONG, shared } from "./test/support/vitest-shared.ts";

export default defineConfig({
  test: {
    ...shared,
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...LONG],
  },
});
