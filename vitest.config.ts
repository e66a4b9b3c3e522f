/**
 * Tests that start processes start the built program, as users do: it is built once per run.
 *
 * Tests that mostly wait for processes come first, many at once, those that take longest before the others. Those that compute follow,
 * hardly more at once than there are cores: each worker compiles for itself what it runs, so with eight they take a fifth more.
 */
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const cores = availableParallelism()

/** Folders whose tests wait for programs, browsers and databases; the first ones take longest. */
const waiting = ["fleet", "docs", "dashboard", "control", "e2e", "cli", "orderbook", "witness", "signing", "app/fleet", "report/html", "wallets", "programs", "releases"]

const rank = (file: string): number => {
  const place = waiting.findIndex((folder) => file.includes(`/test/${folder}/`))
  return place < 0 ? waiting.length : place
}

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const bySize = await super.sort(files)
    return bySize.toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId))
  }
}

const processes = waiting.map((folder) => `test/${folder}/**/*.test.ts`)

const all = {
  setupFiles: "test/setup.ts",
  isolate: false,
  // For real processes on a busy machine. It stands here because files share modules: what one of those sets while it is loaded holds for the first file only.
  testTimeout: 180_000,
  hookTimeout: 120_000
}

export default defineConfig({
  test: {
    globalSetup: "test/buildProgram.ts",
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: { ...all, name: "processes", include: processes, maxWorkers: 4 * cores, sequence: { groupOrder: 1 } }
      },
      {
        test: {
          ...all,
          name: "computing",
          include: ["test/**/*.test.ts"],
          exclude: processes,
          maxWorkers: cores + 1,
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
