/**
 * Builds the program once per test run, beside the tests: those that need it wait for it (`builtProgram.ts`), the others
 * begin at once. A build that fails fails only the tests that start processes.
 *
 * It stands in the folder that is the temporary directory of all tests and of all that they start, which ends with the run. It
 * is in memory where there is plenty: journals wait for the disk at each record, and a killed process leaves the same bytes.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs"
import { freemem, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { TestProject } from "vitest/node"

const tool = resolve(import.meta.dirname, "../tools/build.ts")
const memory = "/dev/shm"
const plentyBytes = 4 * 2 ** 30
const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
const isInMemory = existsSync(memory) && Math.min(freeBytes(memory), freemem()) > plentyBytes
const temporary = mkdtempSync(join(isInMemory ? memory : tmpdir(), "limitbot-tests-"))
const folder = join(temporary, "program")
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
  process.env["TMPDIR"] = temporary
  // Beside the program, as in the package.
  symlinkSync(resolve(import.meta.dirname, "../strategies"), join(temporary, "strategies"))
  project.provide("builtProgram", folder)
  building = build()
  project.onTestsRerun(build)
}

export const teardown = async (): Promise<void> => {
  await building
  // What was killed may still be writing.
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly builtProgram: string
  }
}
