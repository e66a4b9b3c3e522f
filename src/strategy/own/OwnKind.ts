/**
 * A kind that a user's code file defines. The code is checked and evaluated, and becomes a kind like any other. It is evaluated once for
 * each strategy that uses it.
 */
import { asNumber, toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import { nameRule, type Signal, signalName } from "../../domain/Signal.ts"
import { iso, isRecord, messageOf } from "../../domain/Text.ts"
import type { Bounds, Memory } from "../Decision.ts"
import { positionIn } from "../expression/Judge.ts"
import { lately } from "../expression/Same.ts"
import * as Read from "../Fields.ts"
import * as Indicators from "../Indicators.ts"
import { form, type Kind } from "../Kind.ts"
import { size } from "../kinds/Size.ts"
import { type Problem, place, problemAt, report, type SourceText, sourceText } from "../Problem.ts"
import type { Behaviour, Decide } from "../Strategy.ts"
import { type ClosedCandles, progressOf, type SlotProgress, untouchedSlot, type View } from "../View.ts"
import type { YamlNode } from "../YamlReader.ts"
import { decisionOf } from "./OwnAnswer.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"
import { instanceOf, type OwnQuestions } from "./OwnInstance.ts"
import type { indicatorNames } from "./Prelude.ts"
import * as Purity from "./Purity.ts"

/** `kind: ./supertrend.ts` */
const path = /^\.{0,2}\/(?:[^/\s]+\/)*([a-z][A-Za-z0-9-]{0,39})\.(?:ts|mts|js|mjs)$/

/** `kind: npm:@somebody/supertrend` */
const ofPackage = /^npm:((?:@[a-z0-9][a-z0-9._-]*\/)?([a-z][a-z0-9-]{0,39}))$/

export const packageName = (kind: string): string | undefined => ofPackage.exec(kind)?.[1]

/** The name of the section that belongs to the code; `undefined` if `kind` names no code. */
export const nameOfPath = (kind: string): string | undefined => path.exec(kind)?.[1] ?? ofPackage.exec(kind)?.[2]

type Code = Readonly<Exclude<ReturnType<typeof codeOf>, ReadonlyArray<Problem>>>

const codeOf = (source: SourceText) => {
  const { text } = source
  const wrong = (message: string): ReadonlyArray<Problem> => {
    const line = Number(/ \(line (\d+)\)$/.exec(message)?.[1] ?? 1)
    const start = source.lineStarts[line - 1] ?? 0
    return [{ ...problemAt(source, { start, end: start + 1 }, message), text }]
  }
  try {
    const description: unknown = JSON.parse(instanceOf(text).description)
    const { about, around, keys } = isRecord(description) ? description : {}
    if (typeof about !== "string") return wrong("its `about` must be a short text")
    if (around !== undefined && !(typeof around === "number" && around > 0 && around < 1e9))
      return wrong("its `around` is not a price")
    const mistake = keysOf(keys, Read.anyMarket)
    return typeof mistake === "string" ? wrong(mistake) : { text, about, keys, around }
  } catch (mistake) {
    return wrong(messageOf(mistake))
  }
}

const codeIn = lately((text: string) => lately((file: string) => codeOf(sourceText(file, text))))

export const kindOf = (name: string, file: string, text: string): Kind | ReadonlyArray<Problem> => {
  const code = codeIn(text)(file)
  if (!("text" in code)) return code
  const keys = (market: Market) => {
    const ownKeys = keysOf(code.keys, market)
    return typeof ownKeys === "string" ? {} : ownKeys
  }
  return {
    name,
    about: code.about,
    setup: () => ({ steps: [], budget: () => ({}), section: () => "" }),
    ...form(keys, ({ market, keys: _, ...settings }, { section, to }) => {
      const input = { file, market, settings: JSON.stringify(settings), source: place(to.source, section.start) }
      try {
        const behaviour = behaviourOf(code, input)
        const proof = () => {
          const impurity = Purity.impurityOf(file, behaviour, market, code.around)
          return impurity === undefined ? undefined : problemAt(to.source, section, impurity)
        }
        return { ...behaviour, proof }
      } catch (mistake) {
        return report(to, section, `${file}: ${messageOf(mistake)}`)
      }
    })
  }
}

interface Made {
  readonly file: string
  readonly market: Market
  readonly settings: string
  readonly source: string
}

const behaviourOf = ({ text }: Code, { file, market, settings, source }: Made): Behaviour => {
  const instance = instanceOf(text)
  let currentView: View | undefined
  const names = { name: market.name, base: market.base.symbol, quote: market.quote.symbol }
  const questions = questionsAbout(
    market,
    () => currentView,
    (name) => signals.get(name)
  )
  const { candles, signals } = wantedOf(instance.begin(settings, JSON.stringify(names), questions))
  // The code usually repeats its last answer and memory, so each is read and written once.
  const decided = lately((answer: unknown) => decisionOf(answer, { market, source, timeframes: candles }))
  const memoryText = lately((memory: Memory) => JSON.stringify(memory))
  const decide: Decide = (view, memory) => {
    const { bid, ask } = view.price
    const { toNumber } = Decimal
    const prices = { now: view.now, bid: toNumber(bid), ask: toNumber(ask), mid: toNumber(mid(view.price)) }
    currentView = view
    try {
      const decision = instance.decide(prices, memoryText(memory), decided)
      return signals.size === 0 ? decision : { ...decision, until: whileFresh(decision.until, view, signals) }
    } catch (mistake) {
      if (!(mistake instanceof OwnCodeFailed)) throw mistake
      const when = `at a price of ${Decimal.format(mid(view.price))} on ${iso(view.now)}`
      throw new OwnCodeFailed(`${file} fails ${when}, with memory ${JSON.stringify(memory)}: ${mistake.message}`)
    }
  }
  return { decide, ...(candles.size > 0 && { candles }), ...(signals.size > 0 && { signals }) }
}

const whileFresh = (until: Bounds, { now, signals }: View, ages: ReadonlyMap<string, number>): Bounds => {
  const ends = [...ages].flatMap(([name, age]) => {
    const lastSignal = freshest(signals, now, name, age)
    return lastSignal === undefined ? [] : [Math.ceil(lastSignal.at + age)]
  })
  const time = Math.min(until.time ?? Number.POSITIVE_INFINITY, ...ends)
  return { ...until, ...(time === Number.POSITIVE_INFINITY ? {} : { time }), signals: true }
}

const freshest = (signals: View["signals"], now: number, name: string, ageMillis: number): Signal | undefined => {
  const signalNow = signals?.get(name)
  return signalNow === undefined || now >= signalNow.at + ageMillis ? undefined : signalNow
}

const wantedOf = (text: string) => {
  const demands: unknown = JSON.parse(text)
  const { candles, signals } = isRecord(demands) ? demands : {}
  return { candles: timeframesOf(candles), signals: agesOf(signals) }
}

const numbersIn = (wanted: unknown, check: (name: string, value: unknown) => number): ReadonlyMap<string, number> =>
  new Map(isRecord(wanted) ? Object.entries(wanted).map(([name, value]) => [name, check(name, value)]) : [])

const agesOf = (wanted: unknown) =>
  numbersIn(wanted, (name, age) => {
    if (!signalName.test(name)) throw new OwnCodeFailed(`it asks for the signal ${name}: a name has ${nameRule}`)
    if (typeof age === "number" && age > 0 && age < Number.MAX_SAFE_INTEGER) return age
    throw new OwnCodeFailed(`its maximum age of the signal ${name} is ${String(age)}: write milliseconds above zero`)
  })

const timeframesOf = (wanted: unknown) =>
  numbersIn(wanted, (timeframe, count) => {
    if (!Read.isTimeframe(timeframe))
      throw new OwnCodeFailed(`it asks for candles of ${timeframe}: write a timeframe such as 15m, 4h or 1d`)
    if (typeof count === "number" && Number.isInteger(count) && count >= 1 && count <= 5_000) return count
    throw new OwnCodeFailed(`it asks for ${String(count)} candles of ${timeframe}: write a whole number up to 5,000`)
  })

const maxSlotNameLength = 64
/** Code may invent names at each decision; this keeps them from filling the memory. */
const maxSlotTexts = 2_000

const questionsAbout = (
  market: Market,
  current: () => View | undefined,
  ageOf: (signal: string) => number | undefined
): OwnQuestions => {
  const texts = new Map<string, (progress: SlotProgress) => string>()
  return {
    position: () => {
      const view = current()
      return view === undefined ? 0 : asNumber(positionIn(view), market.base)
    },
    slot: (name) => {
      if (name.length > maxSlotNameLength) return slotText(market, untouchedSlot)
      if (texts.size > maxSlotTexts) texts.clear()
      const text = texts.get(name) ?? lately((progress: SlotProgress) => slotText(market, progress))
      texts.set(name, text)
      return text(progressOf(current() ?? { slots: new Map() }, name))
    },
    candles: (timeframe) => current()?.candles?.get(timeframe),
    indicator: (timeframe, ...terms) => indicatorOf(current()?.candles?.get(timeframe), ...terms),
    signal: (name) => {
      const [view, age] = [current(), ageOf(name)]
      if (age === undefined) return ""
      return JSON.stringify((view && freshest(view.signals, view.now, name, age)) ?? null)
    }
  }
}

type Column = (candles: Indicators.CandleColumns, length: number) => Indicators.IndicatorValues

/** Indicators for code, which equal those of expressions. Each is `computed` once for a column of candles. */
const columns: Readonly<Record<(typeof indicatorNames)[number], Column>> = {
  sma: ({ close }, length) => Indicators.sma(close, length),
  ema: ({ close }, length) => Indicators.ema(close, length),
  rsi: ({ close }, length) => Indicators.rsi(close, length),
  atr: Indicators.atr
}

const isName = (name: string): name is keyof typeof columns => Object.hasOwn(columns, name)

const maxLength = 5_000
const maxColumns = 64

const computed = new WeakMap<Indicators.CandleColumns, Map<string, Indicators.IndicatorValues>>()

/** `NaN` with too few candles, and for a candle that has not closed. The last closed candle is 0 `back`. */
export const indicatorOf = (candles: ClosedCandles | undefined, name: string, length: number, back: number): number => {
  if (!isName(name) || !Number.isInteger(length) || length < 1 || length > maxLength)
    throw new OwnCodeFailed(`${name}(${length}): the length has to be a whole number from 1 to ${maxLength}`)
  if (candles === undefined || !(back >= 0)) return Number.NaN
  const byName = computed.get(candles.columns) ?? new Map<string, Indicators.IndicatorValues>()
  computed.set(candles.columns, byName)
  const key = `${name} ${length}`
  const column = byName.get(key)
  if (column === undefined && byName.size >= maxColumns)
    throw new OwnCodeFailed(`it asks for more than ${maxColumns} indicators of one timeframe`)
  const values = column ?? columns[name](candles.columns, length)
  byName.set(key, values)
  return values[candles.closed - 1 - back] ?? Number.NaN
}

const slotText = (market: Market, progress: SlotProgress): string => {
  const { bought, completedLegs, filledInLeg, live, paid, proceeds, sold } = progress
  return JSON.stringify({
    bought: asNumber(bought, market.base),
    sold: asNumber(sold, market.base),
    paid: asNumber(paid, market.quote),
    received: asNumber(proceeds, market.quote),
    done: { legs: completedLegs, filled: Decimal.format(toDecimal(filledInLeg, market.base.decimals)) },
    ...present({
      live: live && {
        side: live.side === "BUY" ? "buy" : "sell",
        price: Decimal.toNumber(live.price),
        left: asNumber(live.quantity, market.base)
      }
    })
  })
}

/** The keys in the code become readers like the keys of every kind, with places and hints. */
const readers: Readonly<
  Record<string, (market: Market, key: Readonly<Record<string, unknown>>) => Read.Reader<unknown>>
> = {
  integer: (_, { least, most }) => Read.integer(Number(least), Number(most)),
  number: () => Read.factor,
  price: () => Read.mapped(Read.price, Decimal.toNumber),
  ratio: () => Read.mapped(Read.ratio, Decimal.toNumber),
  duration: () => Read.duration,
  timeframe: () => Read.timeframe,
  text: () => Read.text,
  flag: () => Read.trueOrFalse,
  choice: (_, { of }) => Read.oneOf(...(Array.isArray(of) ? of.map(String) : [])),
  size: (market) =>
    Read.mapped(size(market), ({ unit, amount }) => ({
      unit,
      amount: Decimal.format(toDecimal(amount, market[unit].decimals))
    }))
}

const reservedKeys: ReadonlyArray<string> = ["market", "keys"]

const keysOf = (described: unknown, market: Market): string | Read.Keys => {
  if (!isRecord(described)) return "its keys are not an object"
  const table: Record<string, Read.Keys[string]> = {}
  for (const [name, key] of Object.entries(described)) {
    const is = isRecord(key) && typeof key["is"] === "string" ? key["is"] : ""
    const reader = Object.hasOwn(readers, is) ? readers[is] : undefined
    if (!isRecord(key) || reader === undefined)
      return `its key ${name} has no valid \`is\`: write one of ${Object.keys(readers).join(", ")}`
    if (!/^[a-z][A-Za-z0-9]{0,39}$/.test(name)) return `its key ${name} must be a word such as lookBack`
    if (reservedKeys.includes(name)) return `its key ${name} needs another name: this one is reserved`
    if (is === "integer" && !(Number.isInteger(key["least"]) && Number.isInteger(key["most"])))
      return `its key ${name} needs a \`least\` and a \`most\``
    const { otherwise, optional, says } = key
    const valueReader = reader(market, key)
    const about = typeof says === "string" ? says : undefined
    if (otherwise === undefined) {
      table[name] = optional === true ? Read.optional(valueReader, about) : Read.required(valueReader, about)
      continue
    }
    const value = valueOf(valueReader, String(otherwise))
    if (value === undefined) return `the \`otherwise\` of its key ${name}, ${String(otherwise)}, is not a valid value`
    table[name] = { ...Read.optional(valueReader, about, String(otherwise)), fallback: value }
  }
  return table
}

const valueOf = (read: Read.Reader<unknown>, text: string): unknown => {
  const written: YamlNode = { type: "scalar", text, isQuoted: false, start: 0, end: text.length }
  return read(written, { source: sourceText("", text), problems: [] })
}
