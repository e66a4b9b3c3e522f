/**
 * Tests that start processes start the built program, as users do: it is built once per run.
 *
 * Tests that mostly wait for processes and tests that compute run side by side from the first to the last: what waits leaves the
 * processor to what computes.
 */
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Folders whose files mostly wait; those of the first take longest. */
const waiting = ["test/e2e/", "test/docs/", "test/control/", "test/cli/", "test/signer/", "test/dashboard/"]

const rank = (file: string): number => waiting.findIndex((folder) => file.includes(`/${folder}`))

/** Worlds compute longest. */
const isWorld = ({ moduleId }: TestSpecification): boolean => /\/test\/(?:simulation|engine)\//.test(moduleId)

class SideBySide extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const bySize = await super.sort(files)
    const waits = bySize
      .filter(({ moduleId }) => rank(moduleId) >= 0)
      .toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId))
    const computes = bySize
      .filter(({ moduleId }) => rank(moduleId) < 0)
      .toSorted((one, other) => Number(isWorld(other)) - Number(isWorld(one)))
    const place = (index: number, all: ReadonlyArray<unknown>) => index / all.length
    return [
      ...waits.map((file, index) => ({ file, at: place(index, waits) })),
      ...computes.map((file, index) => ({ file, at: place(index, computes) }))
    ]
      .toSorted((one, other) => one.at - other.at)
      .map(({ file }) => file)
  }
}

export default defineConfig({
  test: {
    globalSetup: "test/buildProgram.ts",
    setupFiles: "test/setup.ts",
    isolate: false,
    // For real processes on a busy machine. It stands here because files share modules: what one of those sets while it is loaded holds for the first file only.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    sequence: { sequencer: SideBySide }
  }
})
