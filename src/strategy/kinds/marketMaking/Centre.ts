/**
 * The centre of the quotes: the mid, or a price that an expression computes from closed candles. It stays until it has moved by `requote`.
 */
import * as Decimal from "../../../domain/Decimal.ts"
import { mid, type Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Ends } from "../../Decision.ts"
import { compile } from "../../expression/Compiler.ts"
import { boundsOf, momentOf } from "../../expression/Judge.ts"
import type { Needs } from "../../expression/Needs.ts"
import { scopeOf } from "../../expression/Scope.ts"
import type { Term } from "../../expression/Term.ts"
import * as Read from "../../Fields.ts"
import type { Section } from "../../Kind.ts"
import { report } from "../../Problem.ts"
import type { View } from "../../View.ts"

/** More decimal places would be noise. */
const places = 9

export interface Centre {
  readonly term: Term
  readonly needs: Needs
}

export interface SeenCentre {
  /** `undefined` while its candles or signals are missing. */
  readonly price: Price | undefined
  readonly changes: Ends
}

export const centreKeys = {
  centre: Read.optional(Read.expression, "a price of closed candles, as the centre of the quotes", "the mid"),
  timeframe: Read.withDefault(Read.timeframe, "1h", "of the centre's candles whose timeframe is not written")
}

export const readCentre = (
  { centre, timeframe }: Read.SettingsOf<typeof centreKeys>,
  section: Section<typeof centreKeys>
): Centre | undefined => {
  const { at, isWritten, to } = section
  if (centre === undefined)
    return isWritten("timeframe")
      ? report(to, at("timeframe"), "timeframe without centre does nothing", "remove it")
      : undefined
  const scope = scopeOf(section, timeframe)
  const term = compile(centre, "price", "price", scope)
  if (term === undefined) return undefined
  if (term.dependence !== "none" || term.isMoving === true) {
    const hint = "such as ema(close, 20); without this key, the centre is the mid"
    return report(to, at("centre"), "the centre follows closed candles, not prices between them", hint)
  }
  return { term, needs: scope.needs }
}

export const look = (centre: Centre | undefined, view: View): SeenCentre => {
  if (centre === undefined) return { price: mid(view.price), changes: {} }
  const moment = momentOf(view.market, view)
  const value = centre.term.value(moment)
  const { barClose, depth, signals, time } = boundsOf(centre.needs, moment, moment.found.times)
  const price = Number.isFinite(value) && value > 0 ? Decimal.fromNumber(value, places) : undefined
  return { price, changes: present({ barClose, depth, signals, time }) }
}
