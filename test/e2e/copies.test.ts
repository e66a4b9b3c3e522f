/**
 * The real processes, killed at random moments and continued on something else than they left: a plain copy of earlier, a copy of the
 * whole folder, a journal without its newest events. What was forgotten is told or found again, and no slot is ever paid twice.
 */
import { copyFileSync, existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import {
  type Connection,
  newFolder,
  type Program,
  pause,
  prepare,
  randomFrom,
  start
} from "../world/processes/processes.ts"
import { runHere, startSandbox } from "../world/processes/program.ts"

const poll = ["--poll", "0.1s", "--json", "--allow", "fee-floor"]
const journal = "journal.sqlite"
const parts = [journal, `${journal}-wal`]
const withHead = [...parts, `${journal}.head`]

const keep = (folder: string, files: ReadonlyArray<string>): void => {
  for (const file of withHead) rmSync(join(folder, `kept.${file}`), { force: true })
  for (const file of files)
    if (existsSync(join(folder, file))) copyFileSync(join(folder, file), join(folder, `kept.${file}`))
}

/** Nothing was kept before the first life ended. */
const putBack = (folder: string, files: ReadonlyArray<string>, removed: ReadonlyArray<string> = []): void => {
  for (const file of [`${journal}-shm`, ...removed]) rmSync(join(folder, file), { force: true })
  if (!existsSync(join(folder, `kept.${journal}`))) return
  for (const file of files) {
    rmSync(join(folder, file), { force: true })
    if (existsSync(join(folder, `kept.${file}`))) copyFileSync(join(folder, `kept.${file}`), join(folder, file))
  }
}

type Accident = readonly [string, (folder: string) => void]

/** What happens to the files between two lives. */
const accidents: readonly [Accident, ...ReadonlyArray<Accident>] = [
  ["nothing", () => undefined],
  ["a plain copy", (folder) => putBack(folder, parts)],
  ["a copy of the whole folder", (folder) => putBack(folder, withHead)],
  ["the log is lost", (folder) => putBack(folder, [], [`${journal}-wal`])]
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

interface Listed {
  readonly data: ReadonlyArray<Shown>
  readonly meta: { readonly nextCursor?: string }
}

const resting: ReadonlySet<string> = new Set(["OPEN", "PARTIALLY_FILLED"])

/** Orders with money in them that can still fill and stand twice at one price: each is of one slot of the grid. */
const paidTwice = async ({ apiKey, url }: Connection): Promise<ReadonlyArray<string>> => {
  const paid = new Map<string, Set<string>>()
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const query = new URLSearchParams({
      "page[size]": "50",
      ...(cursor === undefined ? {} : { "page[after]": cursor })
    })
    const response = await fetch(`${url}/v0/orders?${query}`, { headers: { "x-api-key": apiKey } })
    const answer: Listed = await response.json()
    for (const { attributes, id } of answer.data) {
      const { depositedAmount, fillStatus, price, side } = attributes
      if (depositedAmount === "0" || !resting.has(fillStatus)) continue
      const key = `${side} at ${price}`
      paid.set(key, (paid.get(key) ?? new Set()).add(id))
    }
    cursor = answer.meta.nextCursor
  }
  return [...paid].flatMap(([key, ids]) => (ids.size > 1 ? [`${key}: ${[...ids].join(", ")}`] : []))
}

/** Orders that this life says it does not know. */
const forgottenIn = ({ lines }: Program): ReadonlyArray<string> =>
  lines.flatMap((line) => {
    const [, id] = /"event":"JournalBehind".*?"orderId":"([^"]+)"/.exec(line) ?? []
    return id === undefined ? [] : [id]
  })

const say = (words: ReadonlyArray<string>, config: string) => runHere([...words, "--config", config])

describe("processes that are killed at random times and continue on a copy", () => {
  // How often, for longer campaigns: LIMITBOT_COPIES=300.
  const campaign = process.env["LIMITBOT_COPIES"]
  // Otherwise each accident comes once, and a life after it.
  const lives = Number(campaign ?? accidents.length)

  it.skipIf(!isLong)(
    "never have two funded orders in a slot, and report forgotten orders",
    {
      timeout: 600_000 + lives * 10_000
    },
    async () => {
      const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)
      const random = randomFrom(seed)
      const folder = newFolder()
      const connection = await startSandbox({ seed: 7, speed: 60 })
      const { config, strategy } = prepare(folder, connection)
      const counts = new Map<string, number>()
      const count = (what: string, by = 1) => counts.set(what, (counts.get(what) ?? 0) + by)
      let what = "nothing"
      try {
        for (let life = 0; life < lives; life += 1) {
          const bot = start(["run", strategy, "--config", config, ...poll])
          const events = Math.trunc(random(2, 60))
          const refused = await Promise.race([
            bot
              .line(() => bot.lines.length >= events)
              .then(
                () => false,
                () => true
              ),
            pause(4_000).then(() => false)
          ])
          if (refused) {
            // All that there was stood in the log: whoever runs the bot puts back what he has, or could recover.
            assert.match(bot.errors.join(""), /The journal is empty: it has 0 events/)
            count("refused")
            if (!existsSync(join(folder, `kept.${journal}`))) break
            putBack(folder, parts)
            continue
          }
          await pause(random(0, 20))
          const twice = await paidTwice(connection)
          assert.deepStrictEqual(twice, [], `life ${life}, after ${what}`)
          const isOrderly = random(0, 3) < 1
          if (isOrderly) bot.child.kill("SIGTERM")
          else bot.child.kill("SIGKILL")
          await bot.ended
          count(isOrderly ? "stopped" : "killed")
          count("cut", bot.lines.filter((line) => line.includes('"event":"JournalCut"')).length)
          // Whoever runs the bot explains what it does not know, and it goes on.
          for (const id of forgottenIn(bot)) {
            count("forgotten")
            await say(["reconcile", "--cancel", id], config)
            await say(["resolve", id, "--forget", "--because", "cancelled"], config)
          }
          if (life === 0 || random(0, 2) < 1) keep(folder, withHead)
          const next = campaign === undefined ? (life + 1) % accidents.length : Math.trunc(random(0, accidents.length))
          const [name, happen] = accidents[next] ?? accidents[0]
          what = name
          count(name)
          happen(folder)
        }
        process.stdout.write(`continued ${lives} times (seed ${seed}): ${JSON.stringify(Object.fromEntries(counts))}\n`)
      } catch (error) {
        throw new Error(`seed ${seed}, folder ${folder}`, { cause: error })
      }
    }
  )
})
