/**
 * Runs inside the machine, before the code of a strategy and around it. It need not withstand the code: the machine undoes every change
 * before the next decision.
 */

/** Globals that fail with a hint. A strategy has no clock, no randomness, nothing asynchronous and no code from text. */
const absent = {
  Date: "the only clock is view.now",
  console: "write messages into `why`",
  process: "it has only its view, its settings and its memory",
  fetch: "it has only its view, its settings and its memory",
  require: "it may import only types",
  Promise: "a decision cannot wait",
  eval: "all of its code must be in its file",
  Function: "all of its code must be in its file"
}

/**
 * The layout of the shared numbers: now, bid, ask, mid, then for each timeframe the number of closed candles and the place where they end.
 */
export const layout = { now: 0, bid: 1, ask: 2, mid: 3, frames: 4, maxFrames: 20, header: 44 } as const

export const questions = { position: 0, slot: 1, signal: 2, indicator: 3 } as const

export const columnNames = ["open", "high", "low", "close", "volume"] as const

export const maxCandles = 5_000
/** Twice the maximum, so that a new candle adds one number and moves none. */
export const columnLength = 2 * maxCandles

export const indicatorNames = ["sma", "ema", "rsi", "atr"] as const

export const prelude = `((ask) => {
  "use strict"
  // Shared memory is the only memory that stays. Views of it are made by constructors that the code cannot replace.
  const { parse, stringify } = JSON
  const Numbers = Float64Array
  const { defineProperty, getPrototypeOf, freeze } = Object
  for (const [name, why] of Object.entries(${JSON.stringify(absent)}))
    defineProperty(globalThis, name, { get: () => { throw new ReferenceError("there is no " + name + " here: " + why) } })
  for (const example of [function () {}, async () => {}, function* () {}, async function* () {}]) delete getPrototypeOf(example).constructor
  Math.random = () => { throw new ReferenceError("the same view must give the same answer: nothing is random") }
  delete Array.fromAsync
  for (const name of ["queueMicrotask", "SharedArrayBuffer"]) delete globalThis[name]
  // These loop over sparse arrays without a step that the machine counts.
  const maxJoined = 1_000_000
  for (const prototype of [Array.prototype, getPrototypeOf(Numbers.prototype)])
    for (const name of ["join", "toLocaleString"]) {
      const original = prototype[name]
      defineProperty(prototype, name, { value: function (separator) {
        if (this.length > maxJoined) throw new RangeError("it joins more than " + maxJoined + " values")
        return separator === undefined ? original.call(this) : original.call(this, separator)
      } })
    }
  const placeIn = (stack) => {
    const at = typeof stack === "string" ? stack.indexOf("own-strategy:") : -1
    return at < 0 ? "" : " (line " + stack.slice(at + 13).split(":")[0].split(")")[0].split("\\n")[0] + ")"
  }
  const failure = (mistake) => {
    let text = "it fails"
    try { text = mistake instanceof Error ? mistake.message + placeIn(mistake.stack) : "it throws " + stringify(mistake) } catch {}
    return text.startsWith("could not load module") ? "it may import only types" : text
  }
  const frozen = (text) => parse(text, (_, value) => freeze(value))
  let strategy, settings, inputs
  const frames = new Map()
  const position = () => ask(${questions.position})
  const slot = (name) => parse(ask(${questions.slot}, String(name)))
  const signal = (name) => {
    const text = ask(${questions.signal}, String(name))
    if (text === "") throw new RangeError("it did not ask for the signal " + name)
    return parse(text) ?? undefined
  }
  // Before and after the candles that a strategy may see there is NaN.
  const frameOf = (frame, buffer) => {
    let end = 0
    const frameNow = { count: 0 }
    for (const [index, name] of ${JSON.stringify(columnNames)}.entries()) {
      const first = ${layout.header} + (${columnNames.length} * frame + index) * ${columnLength}
      const column = new Numbers(buffer, 8 * first, ${columnLength})
      frameNow[name] = (back) => column[end - back] ?? NaN
    }
    for (const [index, name] of ${JSON.stringify(indicatorNames)}.entries())
      frameNow[name] = (length, back = 0) => ask(${questions.indicator}, frame, index, +length, +back)
    return () => {
      frameNow.count = inputs[${layout.frames} + 2 * frame]
      end = inputs[${layout.frames} + 2 * frame + 1] - 1
      return frameNow.count < 0 ? undefined : frameNow
    }
  }
  const candles = (timeframe) => {
    const frame = frames.get(String(timeframe))?.()
    if (frame === undefined) throw new RangeError("it did not ask for candles of " + timeframe)
    return frame
  }
  const view = { now: 0, bid: 0, ask: 0, mid: 0, market: {}, position, slot, candles, signal }
  return {
    failure,
    adopt: (exported) => {
      strategy = exported
      if (typeof strategy !== "object" || strategy === null)
        throw new TypeError("it has to export its strategy by default: export default { about, keys, decide }")
      if (typeof strategy.decide !== "function") throw new TypeError("it has no decide")
      return stringify({ about: strategy.about, keys: strategy.keys, around: strategy.around })
    },
    begin: (settingsText, marketText) => {
      settings = frozen(settingsText)
      view.market = frozen(marketText)
      const needs = (of) => (of === undefined ? {} : of.call(strategy, settings))
      return stringify({ candles: needs(strategy.candles), signals: needs(strategy.signals) })
    },
    share: (buffer, timeframes) => {
      inputs = new Numbers(buffer, 0, ${layout.header})
      for (const [frame, timeframe] of parse(timeframes).entries()) frames.set(timeframe, frameOf(frame, buffer))
    },
    decide: (memory) => {
      view.now = inputs[0]
      view.bid = inputs[1]
      view.ask = inputs[2]
      view.mid = inputs[3]
      return strategy.decide(view, settings, parse(memory))
    }
  }
})`
