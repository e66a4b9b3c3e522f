/** What the programs of other people say of a bot's books, and what its own certificate says of its decisions. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { runHere } from "../world/processes/program.ts"

/** Standard output of a command that has to succeed. */
const output = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await runHere(args)
  assert.strictEqual(code, 0, stderr)
  return stdout
}

const isInstalled = (program: string): boolean => spawnSync(program, ["--help"], { cwd: tmpdir() }).error === undefined

/** The checkers that accepted the books; those that are not installed are named as skipped. */
export const checkBooks = async (folder: string, config: string): Promise<Readonly<Record<string, string>>> => {
  const checks = { beancount: ["bean-check"], hledger: ["hledger", "check", "-f"] } as const
  const results: Record<string, string> = {}
  for (const [format, [program, ...args]] of Object.entries(checks)) {
    const file = join(folder, `books.${format}`)
    if (!existsSync(file)) await output("export", "--format", format, "--out", file, "--config", config)
    if (isInstalled(program)) execFileSync(program, [...args, file], { cwd: tmpdir(), stdio: "pipe" })
    results[program] = isInstalled(program) ? "accepted" : "SKIPPED, not installed"
  }
  return results
}

/** Every decision of the journal is what the files of its time say. */
export const certificate = async (config: string) => {
  const said = JSON.parse(await output("replay", "--certificate", "--config", config, "--json"))
  const { decisions, identical, fills, fillsInBand, fillsWithoutPrices, hash, withoutFile } = said
  assert.strictEqual(identical, decisions, JSON.stringify(said.differences?.[0]))
  return { decisions, identical, withoutFile, fills, fillsInBand, fillsWithoutPrices, hash }
}
