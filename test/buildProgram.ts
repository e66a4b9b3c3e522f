/**
 * Provides the program that tests start. It is `dist`, if that is built from the sources as they are; otherwise it is built once per run, when
 * the first test file asks for it (`builtProgram.ts`). A build that fails fails only the tests that start processes.
 *
 * The temporary directory of all tests and of all processes that they start ends with the run. It is in memory if there is
 * enough: journals wait for the disk at each record, and a killed process leaves the same bytes.
 */
import { execFile, spawnSync } from "node:child_process"
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  symlinkSync,
  watch,
  writeFileSync
} from "node:fs"
import { freemem, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { TestProject } from "vitest/node"
import { stopShared } from "./postgres.ts"
import { missing } from "./surroundings.ts"

/** A test file that needs the program creates this file. */
const programRequest = "program-request"

const root = resolve(import.meta.dirname, "..")
const tool = join(root, "tools/build.ts")
const memory = "/dev/shm"
const plentyBytes = 4 * 2 ** 30
const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
const isInMemory = existsSync(memory) && Math.min(freeBytes(memory), freemem()) > plentyBytes
const temporary = mkdtempSync(join(isInMemory ? memory : tmpdir(), "limitbot-tests-"))
const folder = join(temporary, "program")
const isBuilt = spawnSync("sh", [join(root, "tools/isBuilt.sh")]).status === 0
let building: Promise<void> | undefined
let requests: FSWatcher | undefined

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
  if (missing.length > 0) process.stderr.write(`Skipped: tests that need ${missing.join(", ")}.\n`)
  process.env["TMPDIR"] = temporary
  // Beside the program, as in the package.
  symlinkSync(join(root, "strategies"), join(temporary, "strategies"))
  project.provide("builtProgram", isBuilt ? join(root, "dist") : folder)
  if (isBuilt) return
  requests = watch(temporary, (_, name) => {
    if (name === programRequest) building ??= build()
  })
  project.onTestsRerun(async () => {
    if (building !== undefined) building = build()
    await building
  })
}

export const teardown = async (): Promise<void> => {
  requests?.close()
  await building
  await stopShared(temporary)
  // What was killed may still be writing.
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly builtProgram: string
  }
}
