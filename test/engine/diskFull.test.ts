/** On a full disk nothing new begins and it is said, while withdrawing works on the reserve; with room again the bot goes on. */
import { mkdirSync, mkdtempSync, rmdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { diskFullText } from "../../src/domain/Text.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import * as Reserve from "../../src/journal/Reserve.ts"
import { inVirtualTime, isCancel, ladder, makeWith, openOrders, until } from "../world/bot/botWorld.ts"

/** A disk that can be filled; the reserve keeps a hundred pages of it. */
const smallDisk = () => {
  let [isFull, hasReserve] = [false, true]
  /** Lets the journal grow by so many pages. */
  let allow = (_pages: number): Effect.Effect<void> => Effect.die("no disk")
  const reserveOf = (sql: SqlClient.SqlClient): Reserve.Reserve => {
    allow = (pages) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{ page_count: number }>`PRAGMA page_count`
        yield* sql.unsafe(`PRAGMA max_page_count = ${pages + (row?.page_count ?? 0)}`)
      }).pipe(Effect.orDie)
    return {
      release: Effect.gen(function* () {
        if (!hasReserve) return false
        hasReserve = false
        yield* allow(100)
        return true
      }),
      restore: Effect.sync(() => {
        hasReserve ||= !isFull
        return hasReserve ? undefined : diskFullText
      })
    }
  }
  const set = (full: boolean) =>
    Effect.suspend(() => {
      isFull = full
      return allow(full ? 0 : 100_000)
    })
  return { reserveOf, fill: set(true), free: set(false) }
}

const isCreate = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === "POST" && path.endsWith("/orders")

describe("a full disk", () => {
  it.effect("stops new orders, allows cancels and the kill switch, and recovers by itself", () =>
    Effect.gen(function* () {
      const disk = smallDisk()
      const world = yield* makeWith(disk.reserveOf)
      const first = yield* world.run({ strategies: [ladder(4)] })
      yield* until(() => openOrders(first).length === 4, 60_000, "four orders rest")
      yield* first.stop

      yield* disk.fill
      world.network.sent.length = 0
      const both = yield* world.run({ strategies: [ladder(4), ladder(2, "other", "SOL/USDC", [50, 60])] })
      yield* until(() => both.state.diskFull !== undefined, 30_000, "it is noticed")
      yield* Effect.sleep(60_000)
      assert.isUndefined(both.fiber.pollUnsafe(), "the bot runs on")
      assert.deepStrictEqual(world.network.sent.filter(isCreate), [])
      yield* disk.free
      yield* until(() => openOrders(both).length === 6, 60_000, "the other two rest as well")
      assert.isUndefined(both.state.diskFull)

      yield* disk.fill
      world.setWithdraw({ code: "kill-switch", text: "test" })
      const cancels = () => new Set(world.network.sent.filter(isCancel).map(({ path }) => path))
      yield* until(() => cancels().size === 6, 1_000, "a cancel for each order")
      yield* until(() => unfinished(both.state).length === 0, 120_000, "all the money is back")
      assert.isDefined(both.state.diskFull)
    }).pipe(inVirtualTime)
  )

  it.effect("has a reserve file that only its owner can read, released once and taken again", () =>
    Effect.gen(function* () {
      const journal = join(mkdtempSync(join(tmpdir(), "limitbot-reserve-")), "journal.sqlite")
      const reserve = Reserve.beside(journal)
      assert.isFalse(yield* reserve.release)
      assert.isUndefined(yield* reserve.restore)
      const { blocks, mode } = statSync(`${journal}.reserve`)
      assert.isAtLeast(blocks * 512, 4_000_000)
      assert.strictEqual(mode & 0o777, 0o600)
      assert.deepStrictEqual([yield* reserve.release, yield* reserve.release], [true, false])
      assert.isUndefined(yield* reserve.restore)
    })
  )

  it.effect("without its reserve keeps new orders back, says why, and recovers with the reserve", () =>
    Effect.gen(function* () {
      const file = `${join(mkdtempSync(join(tmpdir(), "limitbot-reserve-")), "journal.sqlite")}.reserve`
      mkdirSync(file)
      const world = yield* makeWith(() => Reserve.beside(file.replace(/\.reserve$/, "")))
      const bot = yield* world.run({ strategies: [ladder(2)] })
      yield* Effect.sleep(60_000)
      assert.deepStrictEqual(world.network.sent.filter(isCreate), [])
      assert.match(bot.state.diskFull?.reason ?? "", /the journal's reserve cannot be written \(EISDIR.*\.reserve/)
      rmdirSync(file)
      yield* until(() => openOrders(bot).length === 2, 60_000, "its orders are open")
      assert.isUndefined(bot.state.diskFull)
    }).pipe(inVirtualTime)
  )
})
