/**
 * The real processes, killed at random moments and continued on something else than they left: a plain copy of earlier, a copy of the
 * whole folder, a journal without its newest events. What was forgotten is told or found again, and no slot is ever paid twice.
 */
import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  type Connection,
  kill9,
  newFolder,
  type Program,
  pause,
  prepare,
  randomFrom,
  start,
  startSandbox
} from "./processes.ts"

const poll = ["--poll", "0.1s", "--json"]
const journal = "journal.sqlite"
const parts = [journal, `${journal}-wal`]
const withHead = [...parts, `${journal}.head`]

const keep = (folder: string, files: ReadonlyArray<string>): void => {
  for (const file of withHead) rmSync(join(folder, `kept.${file}`), { force: true })
  for (const file of files)
    if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(folder, `kept.${file}`))
}

const putBack = (folder: string, files: ReadonlyArray<string>): void => {
  rmSync(join(folder, `${journal}-shm`), { force: true })
  for (const file of files) {
    rmSync(join(folder, file), { force: true })
    if (existsSync(join(folder, `kept.${file}`))) copyFileSync(join(folder, `kept.${file}`), join(folder, file))
  }
}

/** What happens to the files between two lives; each names what it is. */
const accidents: ReadonlyArray<readonly [string, (folder: string) => void]> = [
  ["nothing", () => undefined],
  ["a plain copy", (folder) => putBack(folder, parts)],
  ["a copy of the whole folder", (folder) => putBack(folder, withHead)],
  ["the log is lost", (folder) => putBack(folder, []) ?? rmSync(join(folder, `${journal}-wal`), { force: true })]
]

interface Shown {
  readonly id: string
  readonly attributes: {
    readonly side: string
    readonly price: string
    readonly fillStatus: string
    readonly depositedAmount: string
  }
}

const over = new Set(["FILLED", "CANCELED", "CANCELLED", "EXPIRED", "FAILED", "REJECTED"])

/** Orders with money in them that can still fill, by side and price: a slot of the grid has one of each at most. */
const payingTwice = async ({ apiKey, url }: Connection): Promise<ReadonlyArray<string>> => {
  const live = new Map<string, Array<string>>()
  let cursor: string | undefined
  do {
    const page = cursor === undefined ? "" : `&page[cursor]=${encodeURIComponent(cursor)}`
    const response = await fetch(`${url}/v0/orders?page[size]=50${page}`, { headers: { "x-api-key": apiKey } })
    const answer: { data: ReadonlyArray<Shown>; meta?: { nextCursor?: string } } = await response.json()
    for (const { attributes, id } of answer.data) {
      if (attributes.depositedAmount === "0" || over.has(attributes.fillStatus)) continue
      const key = `${attributes.side} at ${attributes.price}`
      live.set(key, [...(live.get(key) ?? []), id])
    }
    cursor = answer.meta?.nextCursor
  } while (cursor !== undefined)
  return [...live].flatMap(([key, ids]) => (ids.length > 1 ? [`${key}: ${ids.join(", ")}`] : []))
}
void [
  accidents,
  keep,
  payingTwice,
  readdirSync,
  assert,
  describe,
  it,
  kill9,
  newFolder,
  pause,
  prepare,
  randomFrom,
  start,
  startSandbox,
  poll
]
export type X = Program
