/**
 * Tests that start processes start the built program, as users do: it is built once per run.
 *
 * Tests that mostly wait for processes begin first and tests that compute run beside them, so that neither is left for the end.
 */
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Folders whose files take longest, also small ones; the rest follows, the largest files first. */
const longFirst = ["fleet", "docs", "e2e", "cli", "control", "orderbook", "witness", "signing", "simulation", "hostile", "model"].map(
  (folder) => `test/${folder}/`
)

const rank = (file: string): number => {
  const place = longFirst.findIndex((folder) => file.includes(`/${folder}`))
  return place < 0 ? longFirst.length : place
}

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const bySize = await super.sort(files)
    return bySize.toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId))
  }
}

export default defineConfig({
  test: {
    globalSetup: "test/buildProgram.ts",
    setupFiles: ["test/measureSetup.ts", "test/setup.ts"],
    isolate: false,
    // For real processes on a busy machine. It stands here because files share modules: what one of those sets while it is loaded holds for the first file only.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongFirst }
  }
})
