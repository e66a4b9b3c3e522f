/** One journal with every kind of trouble: the screen, `status`, the API's list and a chat each tell of every one, and health of what stops the bot. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, PubSub } from "effect"
import { TestClock } from "effect/testing"
import * as ChatOperator from "../../src/control/notify/ChatOperator.ts"
import * as Health from "../../src/control/view/Health.ts"
import type { BotEvent, Recorded } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import * as Tries from "../../src/engine/state/process/Tries.ts"
import { defaultTerms } from "../../src/engine/tracking/Overdue.ts"
import { linesOf, problemKinds, problemsOf } from "../../src/views/Problems.ts"
import type { Pulse } from "../../src/views/Pulse.ts"
import { picture } from "../../src/views/screen/Picture.ts"
import { about, until } from "../engine/firstOrder.ts"
import { assetsBySymbol as assets } from "../world/bitcoin.ts"
import { chatBot } from "../world/bot/chatBot.ts"
import { write } from "../world/bot/doubtful.ts"
import { everyTrouble, troubles } from "../world/bot/troubles.ts"
import { nowhere, runHere, workspace } from "../world/processes/program.ts"

const now = 10_000_000
const pulse: Pulse = { turnedAt: () => 1, pollMaxMillis: 1_000, leaving: () => undefined }
const stateOf = (events: ReadonlyArray<BotEvent>): BotState.BotState => {
  const state = BotState.make()
  for (const [index, event] of events.entries()) BotState.apply(state, { sequence: index + 1, at: index, event })
  return state
}
const listOf = (state: BotState.BotState) => problemsOf(state, assets, { now, pulse, stuckAfter: defaultTerms })

describe("every kind of problem", () => {
  it("is in one of these journals", () => {
    const found = Object.values(troubles).flatMap((events) => listOf(stateOf(events)).map(({ kind }) => kind))
    assert.sameMembers([...new Set(found)], [...problemKinds])
  })

  it("has its row on the page about alarms", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/alarms.md"), "utf8")
    const rows = page.split("\n").filter((line) => /^\| `[a-z-]+`/.test(line))
    const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z-]+)`/g)].map(([, kind]) => kind))
    assert.includeMembers(named, [...problemKinds])
  })

  it("calls an exit open only while its order is open and nobody cancels it", () => {
    const loaded = { strategy: about.strategy, file: "a.yaml", kind: "grid", market: "BTC/USDC", hash: "a" }
    const exit = { side: "SELL", price: Decimal.make(60_000n), quantity: 1_000n, asset: "BTC", rests: true } as const
    const deferred: BotEvent = { _tag: "Deferred", strategy: about.strategy, slot: about.slot, reason: "why", exit }
    const cancelled: BotEvent = { _tag: "CancelRequested", ...about, why: { code: "operator", text: "x" } }
    const textOf = (...more: ReadonlyArray<BotEvent>) => {
      const events: ReadonlyArray<BotEvent> = [{ _tag: "StrategyLoaded", ...loaded }, ...until("StatusSeen"), ...more]
      return listOf(stateOf(events)).find(({ kind }) => kind === "exit-refused")?.text
    }
    assert.strictEqual(textOf(deferred), "The exit SELL 0.00001 BTC at 60000 is open and not filled: why")
    assert.strictEqual(textOf(deferred, cancelled), "The exit SELL 0.00001 BTC at 60000 is not filled: why")
  })

  it("is silent about an unexplained amount of an asset that is no longer configured", () => {
    const state = stateOf([{ _tag: "BudgetAllotted", strategy: "grid", asset: "OLD", amount: 5n }])
    const found = problemsOf(state, new Map(), { now, pulse, stuckAfter: defaultTerms })
    assert.isEmpty(found.filter(({ kind }) => kind === "residual"))
  })

  it("says that the journal lacks an order, not that the venue contradicts itself", () => {
    const contradictions = listOf(stateOf(everyTrouble)).filter(({ kind }) => kind === "contradiction")
    const lost = contradictions.filter(({ text }) => text.includes("is not in the journal"))
    assert.deepStrictEqual(
      lost.map(({ resolve }) => resolve?.placement),
      ["order-9"]
    )
    assert.isTrue(contradictions.some(({ text }) => text.includes("the venue contradicted itself")))
  })

  it("names each slot without its exit", () => {
    const denied = everyTrouble.find((event) => event._tag === "Denied")
    assert.isDefined(denied)
    if (denied?._tag !== "Denied") return
    const state = stateOf([...everyTrouble, { ...denied, slot: "another" }, { ...denied, slot: "third" }])
    const lines = linesOf(listOf(state)).filter(({ text }) => text.includes("is not in the market"))
    assert.deepStrictEqual(
      lines.map(({ text }) => text.split(":")[0]),
      ["bracket/position", "bracket/another", "bracket/third"]
    )
  })

  it("includes contradictions with other witnesses, until all agrees again", () => {
    const found = (events: ReadonlyArray<BotEvent>) =>
      listOf(stateOf(events)).filter(({ kind }) => kind === "witness-contradicts" || kind === "foreign")
    const texts = found(everyTrouble).map(({ severity, text }) => `${severity}: ${text}`)
    assert.strictEqual(texts.length, 2)
    assert.match(texts[0] ?? "", /^alarm: .*deposited 90 there, 100 here/)
    assert.match(texts[1] ?? "", /^warn: Unknown order order-77 at address-77 on this account \(not touched\)/)
    const again: BotEvent = { _tag: "Reconciled", witnesses: ["orders"], contradictions: [], foreign: [] }
    assert.isEmpty(found([...everyTrouble, again]))
    const started: BotEvent = { _tag: "BotStarted", pid: 2, version: "0", mode: "live", account: "a", venue: "v" }
    assert.strictEqual(found([...everyTrouble, started]).length, 2, "a new run tells it only when it differs")
  })

  for (const [name, events] of Object.entries(troubles)) {
    it.effect(`is on the screen and in a chat: ${name}`, () =>
      Effect.gen(function* () {
        const state = stateOf(events)
        const problems = listOf(state)
        const firstOfEach = [...Map.groupBy(problems, ({ kind }) => kind).values()].flatMap(([first]) => first ?? [])
        const input = {
          title: "",
          running: "",
          detail: undefined,
          warning: undefined,
          problems,
          state,
          assets,
          prices: new Map(),
          recent: [],
          profit: undefined,
          now
        }
        const screen = picture(input, false).join("\n")
        const changes = yield* PubSub.unbounded<Recorded>()
        const none = () => Effect.void
        const books = Bookkeeper.of({
          state,
          tries: Tries.make(state),
          changes,
          record: none,
          recordFrom: none,
          recordIfFits: none,
          lookAtDisk: Effect.void,
          database: undefined,
          isOfAnother: () => false
        })
        const chat = yield* ChatOperator.make(chatBot(pulse)).pipe(Effect.provideService(Bookkeeper, books))
        yield* TestClock.setTime(now)
        const said = chat.status()
        for (const { subject, text } of firstOfEach) {
          assert.include(screen, `${subject}: ${text}`)
          assert.include(said, `! ${subject}: ${text}`)
        }
        assert.notInclude(said, "Nothing is wrong")
      })
    )
  }

  it("is in `status` and in its JSON, from the journal on disk", async () => {
    const folder = workspace(nowhere)
    await write(join(folder, "journal.sqlite"), everyTrouble)
    const inFolder = ["--config", join(folder, "config.yaml")]
    const { problems } = JSON.parse((await runHere(["status", "--json", ...inFolder])).stdout)
    const kinds = problems.map(({ kind }: { readonly kind: string }) => kind)
    assert.sameMembers(
      [...problemKinds].filter((kind) => !/^(?:late|clock-off|stuck)$/.test(kind)),
      [...new Set(kinds)]
    )
    const { stdout } = await runHere(["status", ...inFolder])
    const seen = new Set<string>()
    for (const { kind, subject, text } of problems) {
      if (!seen.has(kind)) assert.include(stdout, `${subject}: ${text.slice(0, 12)}`)
      seen.add(kind)
    }
  })

  it("makes the bot unready if it stops all of it, in words without amounts", () => {
    const told = Health.ready(stateOf(everyTrouble), pulse, now)
    for (const part of ["kill switch", "venue", "disk", "clock", "behind", "was changed", "replaced", "handed over"]) {
      assert.isTrue(
        told.some((text) => text.includes(part)),
        part
      )
    }
    assert.notMatch(told.join(" "), /USDC|BTC|grid/)
  })
})
