/**
 * A signal: a named number from outside, such as a model's forecast or a chart's alert. Only expressions of strategies read it, so it
 * affects money only within a strategy's budget. A value holds until the next value of its name; its reader decides how old it may become.
 */
import { Schema } from "effect"
import { leastOf } from "./Bisection.ts"

export interface Signal {
  readonly value: number
  /** Epoch milliseconds. */
  readonly at: number
}

export type Signals = ReadonlyMap<string, Signal>

export const signalName = /^[A-Za-z][A-Za-z0-9._-]{0,39}$/
export const nameRule = "1 to 40 letters, digits, dots, dashes or underscores, beginning with a letter"
export const SignalName = Schema.String.check(Schema.isPattern(signalName, { expected: `a name of ${nameRule}` }))

export type SignalHistory = Readonly<ReturnType<typeof historyOf>>

const countUntil = (times: ReadonlyArray<number>, now: number): number =>
  leastOf(times.length, (index) => (times[index] ?? 0) > now)

interface PastSignal extends Signal {
  readonly name: string
  /** Epoch milliseconds at which the bot received it: nothing may use it before. Missing: `at`. */
  readonly receivedAt?: number
}

const visibleAt = ({ at, receivedAt = at }: PastSignal): number => receivedAt

/** If several values have one time, the last one counts. `nextAfter` is infinite if no value follows. */
export const historyOf = (values: ReadonlyArray<PastSignal>) => {
  const sorted = values.toSorted((one, other) => visibleAt(one) - visibleAt(other))
  const times = sorted.map(visibleAt)
  const byName = Map.groupBy(sorted, ({ name }) => name)
  const columns = [...byName].map(([name, all]) => ({ name, all, times: all.map(visibleAt) }))
  return {
    names: new Set(byName.keys()),
    at: (now: number): Signals =>
      new Map(
        columns.flatMap(({ all, name, times }) => {
          const last = all[countUntil(times, now) - 1]
          return last === undefined ? [] : [[name, { value: last.value, at: last.at }] as const]
        })
      ),
    nextAfter: (now: number) => times[countUntil(times, now)] ?? Number.POSITIVE_INFINITY
  }
}
