/**
 * The `state:` section of rules: named series that follow from their own last value, such as a trend that stays until it turns. Each has a
 * value for each closed candle of one timeframe, the same live and in a backtest.
 */
import { compileAny } from "../../expression/Compiler.ts"
import { longestLength } from "../../expression/functions.ts"
import { described as typeName, warm } from "../../expression/Operators.ts"
import { needVolume, noNeeds, type Scope } from "../../expression/Scope.ts"
import { blankMoment, frameOf, keyOf, type Series, seriesTerm, type Term, volumesIn } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import type { CandleColumns, IndicatorValues } from "../../Indicators.ts"
import { quoted, type Report, report, type Sound } from "../../Problem.ts"
import type { YamlScalar } from "../../YamlReader.ts"

const keys = {
  initial: Read.required(Read.expression, "the value that it begins with"),
  next: Read.required(Read.expression, "its value in each candle; NAME[1] is its last value"),
  timeframe: Read.optional(Read.timeframe, "of its candles", "that of the rules"),
  over: Read.withDefault(
    Read.integer(2, longestLength),
    200,
    "number of candles from which each value follows, beginning with the initial value"
  )
}

export type NamedState = Read.KnownSettings<typeof keys>

export const state = Read.settingsReader(keys)

interface StateRow {
  readonly name: Read.Located<string>
  readonly read: NamedState
}

export const statesOf = (rows: ReadonlyArray<StateRow>, around: Scope): ReadonlyMap<string, Term> => {
  const none = new Map<string, Term>()
  const states = rows.flatMap(({ name, read: { initial, next, ...read } }) =>
    initial === undefined || next === undefined ? [] : [{ name: name.value, at: name, initial, next, ...read }]
  )
  const [first, ...others] = states
  if (first === undefined || states.length < rows.length) return none
  const { over, timeframe = around.timeframe } = first
  const other = others.find((state) => (state.timeframe ?? around.timeframe) !== timeframe || state.over !== over)
  if (other !== undefined) {
    const text = `${quoted(first.name)} and ${quoted(other.name)} need each other, so they have the same timeframe and over`
    report(around.to, other.at, text)
    return none
  }
  const scope = { ...around, timeframe, needs: noNeeds() }
  const leaves: Array<Term> = []
  const typed = typesOf(states, scope)
  const compiled = states.map(({ initial, name, next }) => {
    const state = { previous: pastsOf(typed), leaves }
    const began = { previous: new Map<string, Term>(), leaves }
    return {
      type: typed.get(name)?.type ?? "number",
      at: { initial, next },
      next: compileAny(next, "price", { ...scope, state }),
      initial: compileAny(initial, "price", { ...scope, state: began })
    }
  })
  const members = compiled.flatMap(({ at, initial, next, type }) =>
    initial === undefined || next === undefined || !isOf(type, { initial, next }, at, scope.to)
      ? []
      : [{ initial, next }]
  )
  if (members.length < states.length) return none
  const texts = states.map(({ initial, name, next }) => `${name}: ${initial.text}; ${next.text}`)
  const all = recursive({
    timeframe,
    ...volumesIn(leaves.flatMap(({ series }) => series ?? [])),
    key: `state(${texts.join("; ")}: ${leaves.map(keyOf).join(", ")}; ${over})`,
    warmUp: Math.max(1, ...leaves.map(({ series }) => series?.warmUp ?? 1)),
    members,
    over
  })
  const { candles } = around.needs
  // One candle more than the first value needs, because crossings use the candle before.
  for (const { warmUp } of all) candles.set(timeframe, Math.max(warmUp + 1, candles.get(timeframe) ?? 0))
  for (const [market, problem] of scope.needs.volumes) needVolume(around.needs, market, problem)
  return new Map(
    all.flatMap((series, index) => {
      const { name } = states[index] ?? first
      return [[name, seriesTerm(series, typed.get(name)?.type ?? "number")] as const]
    })
  )
}

type Typed = Pick<Term, "type" | "isLiteral">

const unread: Typed = { type: "number", isLiteral: true }

const pastsOf = (types: ReadonlyMap<string, Typed>): ReadonlyMap<string, Term> =>
  new Map(
    [...types].map(([name, { isLiteral, type }], index) => [
      name,
      { type, isLiteral, dependence: "none", value: ({ previous }) => previous?.[index] ?? Number.NaN }
    ])
  )

/**
 * A bare number fits any type. So the types are found by compiling without reports, once for each state, because a state may get its type
 * from another one. The final compilation then checks them.
 */
const typesOf = (
  states: ReadonlyArray<{ readonly name: string; readonly next: YamlScalar }>,
  scope: Scope
): ReadonlyMap<string, Typed> => {
  const quiet = { ...scope, to: { ...scope.to, problems: [], warnings: [] } }
  let types = new Map<string, Typed>(states.map(({ name }) => [name, unread]))
  for (const _ of states) {
    const state = { previous: pastsOf(types), leaves: [] }
    types = new Map(
      states.map(({ name, next }) => [name, compileAny(next, "price", { ...quiet, state }) ?? unread] as const)
    )
  }
  return new Map([...types].map(([name, { type }]) => [name, { type, isLiteral: false }]))
}

const isOf = (
  type: Term["type"],
  parts: Readonly<Record<"initial" | "next", Term>>,
  at: Readonly<Record<"initial" | "next", YamlScalar>>,
  to: Report
): Sound => {
  if (type === "boolean") return report(to, at.next, "a state is a number, a price or an amount", "if … then 1 else 0")
  const wrong = (["next", "initial"] as const).find((part) => parts[part].type !== type && !parts[part].isLiteral)
  return (
    wrong === undefined || report(to, at[wrong], `expected ${typeName(type)}, found ${typeName(parts[wrong].type)}`)
  )
}

interface Recursion extends Pick<Series, "timeframe" | "volumesOf"> {
  readonly key: string
  readonly warmUp: number
  readonly members: ReadonlyArray<{ readonly initial: Term; readonly next: Term }>
  readonly over: number
}

/**
 * A window that begins one candle later equals the previous run from the first candle in which both have equal values. Only the candles
 * before that are computed again.
 */
const columnsOf = ({ timeframe, warmUp, members, over }: Recursion, columns: CandleColumns) => {
  const bars = columns.close.length
  const candle = { columns, closed: 0 }
  const all = members.map(({ initial, next }) => ({
    ...{ initial: warm(initial), next: warm(next) },
    run: new Float64Array(bars).fill(Number.NaN),
    result: new Float64Array(bars).fill(Number.NaN)
  }))
  const previous = new Float64Array(all.length)
  // The terms of a recursion read only candles.
  const moment = { ...blankMoment(), candles: new Map([[timeframe, candle]]), previous }
  const first = warmUp - 1
  for (let last = first; last < bars; last++) {
    const start = Math.max(first, last - over + 1)
    for (let bar = start; bar <= last; bar++) {
      candle.closed = bar + 1
      for (const [index, { initial, run }] of all.entries())
        previous[index] = bar === start ? initial(moment) : (run[bar - 1] ?? Number.NaN)
      let isKnown = bar < last
      for (const { next, run } of all) {
        const value = next(moment)
        isKnown &&= value === run[bar]
        run[bar] = value
      }
      if (isKnown) bar = last - 1
    }
    if (last >= first + over - 1) for (const { result, run } of all) result[last] = run[last] ?? Number.NaN
  }
  return all.map(({ result }) => result)
}

/**
 * `next` computes a candle's value from closed candles and from the members' values in the candle before. Every value is the result of the
 * recursion over the last `over` candles, beginning with `initial`. So it does not depend on how long the bot has run.
 */
export const recursive = (recursion: Recursion): ReadonlyArray<Series> => {
  const computed = new WeakMap<CandleColumns, ReadonlyArray<IndicatorValues>>()
  const columnsIn = (columns: CandleColumns) => {
    const memberColumns = computed.get(columns) ?? columnsOf(recursion, columns)
    computed.set(columns, memberColumns)
    return memberColumns
  }
  return recursion.members.map((_, index) => ({
    ...frameOf(recursion),
    warmUp: recursion.warmUp + recursion.over - 1,
    key: `${recursion.key}#${index}`,
    column: (columns) => columnsIn(columns)[index] ?? new Float64Array(columns.close.length).fill(Number.NaN)
  }))
}
