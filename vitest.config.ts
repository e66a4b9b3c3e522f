/**
 * Tests wait for programs, browsers and databases, or they compute. Both kinds run side by side, in turn from the two lists, so that the
 * processor has work while some tests wait. Each worker compiles what it runs, so there are only a few.
 */
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { isLong } from "./test/long.ts"

const cores = availableParallelism()

/** Folders and files whose tests mostly wait, and those that compute for long. Of each, those that take longest come first. */
const waiting = ["programs", "venue/library", "fleet", "docs", "control", "e2e", "cli", "dashboard", "orderbook", "witness", "signing", "signer", "app", "lab/html", "wallets", "releases"]
const computing = ["simulation", "counts", "model", "hostile", "lab", "engine/planning", "engine", "strategy"]

const placeIn = (folders: ReadonlyArray<string>, { moduleId }: TestSpecification): number => {
  const place = folders.findIndex((folder) => moduleId.includes(`/test/${folder}`))
  return place < 0 ? folders.length : place
}

class InTurn extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const bySize = await super.sort(files)
    const mostlyWaits = (file: TestSpecification) => placeIn(waiting, file) < waiting.length
    const ranks = [waiting, computing].map((folders) =>
      bySize
        .filter((file) => mostlyWaits(file) === (folders === waiting))
        .toSorted((one, other) => placeIn(folders, one) - placeIn(folders, other))
        .map((file, place, { length }) => ({ file, share: place / length }))
    )
    return ranks.flat().toSorted((one, other) => one.share - other.share).map(({ file }) => file)
  }
}

export default defineConfig({
  test: {
    globalSetup: "test/buildProgram.ts",
    setupFiles: "test/setup.ts",
    include: ["test/**/*.test.ts"],
    exclude: isLong ? [] : ["test/**/*.long.test.ts"],
    sequence: { sequencer: InTurn },
    isolate: false,
    maxWorkers: 2 * cores,
    // Ends what hangs. It stands here because files share modules: what one of those sets while it is loaded holds for the first file only.
    testTimeout: 600_000,
    hookTimeout: 600_000
  }
})
