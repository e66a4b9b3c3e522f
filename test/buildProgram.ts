/**
 * Builds the program once per test run, beside the tests: those that need it wait for it (`builtProgram.ts`), the others
 * begin at once. A build that fails fails only the tests that start processes.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { TestProject } from "vitest/node"

const tool = resolve(import.meta.dirname, "../tools/build.ts")
const folder = mkdtempSync(join(tmpdir(), "limitbot-built-"))
let building = Promise.resolve()

const build = (): Promise<void> =>
  new Promise((done) => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    execFile(process.execPath, [tool, folder], (error) => {
      if (error !== null) writeFileSync(join(folder, "failed.txt"), error.message)
      done()
    })
  })

export const setup = (project: TestProject): void => {
  project.provide("builtProgram", folder)
  building = build()
  project.onTestsRerun(build)
}

export const teardown = async (): Promise<void> => {
  await building
  rmSync(folder, { recursive: true, force: true })
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly builtProgram: string
  }
}
