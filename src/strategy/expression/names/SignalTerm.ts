/**
 * `signal("trend", 2h)`: the last value of that name, while it is younger than two hours. Without a value, or with an older one, a
 * condition on it cannot be decided: a silent sender means neither yes nor no.
 */
import { signalName } from "../../../domain/Signal.ts"
import type { Expression } from "../Grammar.ts"
import { scales } from "../Operators.ts"
import type { Term } from "../Term.ts"

export const signalUsage = 'signal("trend", 2h)'

const prefix = "a fresh signal "
export const isSignal = (lacking: string): boolean => lacking.startsWith(prefix)

export interface SignalTerm extends Term {
  readonly name: string
  readonly ageMillis: number
}

export const signalTerm = ([name, age, ...others]: ReadonlyArray<Expression>): SignalTerm | undefined => {
  if (name?.type !== "market" || age?.type !== "number" || others.length > 0) return undefined
  const [type, scale = 0] = scales.get(age.unit) ?? []
  const ageMillis = age.value * scale
  if (type !== "duration" || ageMillis <= 0 || !signalName.test(name.name)) return undefined
  return {
    name: name.name,
    ageMillis,
    type: "number",
    // A chart's level is a price, a forecast is a ratio: the comparison decides the type.
    isLiteral: true,
    dependence: "none",
    value: ({ signals, now, found }) => {
      found.consulted.signals = true
      const lastSignal = signals?.get(name.name)
      if (lastSignal === undefined || now >= lastSignal.at + ageMillis) {
        found.lacking.add(`${prefix}"${name.name}" (none within ${age.value}${age.unit})`)
        return Number.NaN
      }
      found.times.push(Math.ceil(lastSignal.at + ageMillis))
      return lastSignal.value
    }
  }
}
