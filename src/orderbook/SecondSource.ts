/**
 * The second source of a price. All quotes come from one service, which may be wrong once, three times in a row, or for minutes. So no price
 * is used on a quote alone. Only this module decides whether a price is used, by the first rule that applies:
 *
 * 1. It is near the price at which a second source last agreed, and the market was watched since without a gap. A price that was used by
 *    this rule is no source itself, so small steps cannot lead away from the truth.
 * 2. The second source shows a price near it: the owner's own (`SecondSourceProgram`), or else the token list.
 * 3. The second source does not contradict it, and it is near the last known price, however old (at a start the last stored one), or at
 *    least five quotes of a whole minute agree. A second quote alone is the same source again.
 *
 * The second source contradicts a price unless it has none, or an old one, or was also far from the price used just before: for some assets
 * the list is always off. A real move is used at once if the list shows it too. Until then the market has no price: nothing is decided, paid
 * or cancelled by it, and no candle and no loss limit sees it. Prices are doubles here, because only their ratios count.
 */
import { Context } from "effect"
import { minuteMillis, secondMillis } from "../domain/Durations.ts"
import { age, percent } from "../domain/Text.ts"

export interface SecondSourceTerms {
  /** Largest difference from the second source's price, as a ratio. */
  readonly within: number
  readonly withinOf: ReadonlyMap<string, number>
  /** Time for which quotes must agree. */ readonly agreeMillis: number
}

export const defaultSecondSourceTerms: SecondSourceTerms = {
  within: 0.03,
  withinOf: new Map(),
  agreeMillis: minuteMillis
}

export const SecondSourceTerms = Context.Reference<SecondSourceTerms>("limitbot/orderbook/SecondSourceTerms", {
  defaultValue: () => defaultSecondSourceTerms
})

export interface Listed {
  readonly mid: number
  /** Time of the older of its two prices. `undefined` if the list has none. */
  readonly at: number | undefined
  readonly by?: string
}

/** A listed price of this age contradicts nothing. */
export const listedLastsMillis = 15 * minuteMillis
const minLooks = 5
/** After a longer time without a price, the market may be anywhere. */
const gapMillis = 3 * minuteMillis

type Look = Readonly<Record<"mid" | "at", number>>

export const make = (market: string, { agreeMillis, within: usual, withinOf }: SecondSourceTerms) => {
  const within = withinOf.get(market) ?? usual
  let agreed: number | undefined
  let used: Look | undefined
  let doubtedAt: number | undefined
  const looks: Array<Look> = []

  const isNear = (price: number, known: number | undefined): boolean =>
    known !== undefined && Math.abs(price - known) <= within * Math.min(price, known)

  const isWatched = (at: number): boolean => used !== undefined && Math.abs(at - used.at) <= gapMillis

  const note = (look: Look): void => {
    // The clock was set back, so the times of the earlier quotes say nothing.
    if (look.at < (looks.at(-1)?.at ?? look.at) - secondMillis) looks.length = 0
    looks.push(look)
    while (looks.length > minLooks && (looks[1]?.at ?? look.at) <= look.at - agreeMillis) looks.shift()
  }

  const hasLasted = ({ at, mid }: Look): boolean =>
    looks.length >= minLooks && at - (looks[0]?.at ?? at) >= agreeMillis && looks.every((look) => isNear(look.mid, mid))

  const contradicts = (listed: Listed, at: number): boolean => {
    if (listed.at !== undefined && at - listed.at > listedLastsMillis) return false
    return used === undefined || !isWatched(doubtedAt ?? at) || isNear(used.mid, listed.mid)
  }

  const isKnown = ({ at, mid }: Look): boolean => isNear(mid, agreed) && isWatched(at)

  /** Returns the reason not to use the price now; `undefined` if it is usable. */
  const judge = (look: Look, listed: Listed | undefined): string | undefined => {
    const { at, mid } = look
    note(look)
    const isListed = isNear(mid, listed?.mid)
    const contradicting = listed !== undefined && !isListed && contradicts(listed, at) ? listed : undefined
    const isBorneOut = contradicting === undefined && (isNear(mid, agreed) || hasLasted(look))
    if (isKnown(look) || isListed || isBorneOut) {
      if (!isNear(mid, agreed)) agreed = mid
      used = look
      doubtedAt = undefined
      return undefined
    }
    doubtedAt ??= at
    const price = `its price of ${priceText(mid)}`
    if (contradicting !== undefined)
      return `${price} is ${apart(mid, contradicting.mid)} ${contradicting.by ?? "the token list"}'s`
    const before = agreed === undefined ? "" : `, and it is ${apart(mid, agreed)} the last known one`
    return `${price} has no second source yet: ${listed?.by ?? "the token list"} does not list it${before}. It is used once it has lasted ${age(agreeMillis)}`
  }

  const remember = (stored: Look): void => {
    agreed ??= stored.mid
    used ??= stored
  }

  return { judge, isKnown, remember } as const
}

export type SecondSource = ReturnType<typeof make>

const apart = (mid: number, known: number): string =>
  mid > known ? `${percent(mid / known - 1)} above` : `${percent(1 - mid / known)} below`

const priceText = (price: number): string => String(Number(price.toPrecision(7)))
