/**
 * Records signals as events of the journal, so that each decision on them can be explained and replayed. Of each name, at most one value a
 * second is recorded (the last one), so that no sender can fill the journal. A name that no running strategy uses is refused.
 */
import { Clock, Effect } from "effect"
import { monotonicMillis } from "../domain/Durations.ts"
import { present } from "../domain/Present.ts"
import { Bookkeeper } from "../engine/state/Bookkeeper.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import { refuse, Unknown } from "./api/ControlApi.ts"

const spacingMillis = 1_000
/** A sender's clock may be ahead by this much. */
const aheadMillis = 60_000

interface SentSignal {
  readonly name: string
  readonly value: number
  /** Epoch milliseconds; default: now. */
  readonly at?: number | undefined
  readonly note?: string | undefined
}

export type SignalServices = Effect.Success<ReturnType<typeof make>>

interface Line {
  last: SentSignal
  /** By the monotonic clock. */
  freeAtMillis: number
}

export const make = Effect.fn("Signals.make")(function* (bot: {
  readonly strategies: () => ReadonlyArray<Pick<Strategy, "signals">>
  readonly wake: Effect.Effect<unknown>
}) {
  const books = yield* Bookkeeper
  const lines = new Map<string, Line>()

  const timeOf = Effect.fnUntraced(function* ({ at, name }: SentSignal) {
    const storedAt = books.state.signals.get(name)?.at ?? 0
    const now = yield* Clock.currentTimeMillis
    const from = at ?? Math.max(now, storedAt)
    if (from > now + aheadMillis)
      return yield* refuse(`${name}: its time is more than a minute ahead of this machine's clock`)
    if (from < storedAt) return yield* refuse(`${name}: a value with a later time is already stored`)
    return from
  })

  const record = Effect.fnUntraced(function* (by: string, sent: SentSignal) {
    const { name, note, value } = sent
    const from = yield* timeOf(sent)
    const before = books.state.signals.get(name)
    if (before !== undefined && from === before.at && value === before.value) return `${name} is ${value} already`
    const recording = books.record({ _tag: "SignalReceived", name, value, from, by, ...present({ note }) })
    yield* Effect.orDie(recording) // A journal that cannot be written stops the bot.
    yield* bot.wake
    return `${name} is ${value}`
  })

  const take = Effect.fn("Signals.take")(function* (by: string, sent: SentSignal) {
    const { name } = sent
    const names = new Set(bot.strategies().flatMap(({ signals = new Map() }) => [...signals.keys()]))
    if (!names.has(name)) {
      const there = names.size === 0 ? "No strategy uses signals" : `Signals in use: ${[...names].join(", ")}`
      return yield* new Unknown({ message: `No running strategy uses a signal ${name}. ${there}` })
    }
    // A value that is refused replaces none that waits.
    yield* timeOf(sent)
    const line = lines.get(name) ?? { last: sent, freeAtMillis: 0 }
    lines.set(name, line)
    line.last = sent
    const waitMillis = line.freeAtMillis - (yield* monotonicMillis)
    if (waitMillis > 0) yield* Effect.sleep(waitMillis)
    if (line.last !== sent) return `${name}: another value arrived within the second and replaces this one`
    line.freeAtMillis = (yield* monotonicMillis) + spacingMillis
    return yield* record(by, sent)
  })
  return { take } as const
})
