/**
 * Measures the venue's times and margins from the events of the bot's own orders. They replace the assumptions of a backtest, each only
 * with enough observations. Times are between journal entries, so they include the polling delay. App fees on an input are subtracted from
 * margins, because a backtest counts them separately. A swap waits for no limit and is not measured.
 *
 * The margin of a fill lies between two figures: how far earlier minutes went beyond the limit without a fill (`late`), and how far the
 * minute of the fill went (`edge`). `edge` may overstate it: for a solver that asks for 20 basis points, nine of ten values are up to 105.
 * So the optimistic side uses the median of `late`, and the pessimistic side the median of `edge`. Fills outside the band count too. If
 * more than a tenth came before the stored prices reached the limit, the optimistic side uses no margin. The pessimistic side uses at least
 * the margin that nine of ten fills had waited for.
 */
import type { BotEvent, Recorded } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import type { Side } from "../../domain/Market.ts"
import { askedBasisPoints, type OrderTerms } from "../../domain/Order.ts"
import { countText } from "../../domain/Text.ts"
import type { SeenMinute } from "../FillBand.ts"

/** With fewer observations, a ninetieth percentile depends on one or two of them. */
export const enough = 30

export type Measured = Readonly<Record<"count" | "p25" | "p50" | "p90", number>>

export type Calibration = Readonly<ReturnType<typeof measure>>

interface Life {
  readonly market: string
  readonly side: Side
  readonly limit: number
  /** Basis points of the input: the app fees that the order asked for, or else those in its echo. */
  takenBasisPoints: number
  readonly first: Map<BotEvent["_tag"], number>
  filledAt: number | undefined
}

const measured = (values: ReadonlyArray<number>): Measured => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return { count: sorted.length, p25: at(0.25), p50: at(0.5), p90: at(0.9) }
}

const livesOf = (events: Iterable<Recorded>, accountTerms: OrderTerms): ReadonlyArray<Life> => {
  const lives = new Map<string, Life>()
  for (const { at, event } of events) {
    if (event._tag === "Planned" && event.by !== "swap") {
      const { market, side, price, terms } = event
      lives.set(event.placement, {
        market,
        side,
        limit: Decimal.toNumber(price),
        takenBasisPoints: askedBasisPoints({ ...accountTerms, ...terms }),
        first: new Map(),
        filledAt: undefined
      })
    }
    const life = "placement" in event ? lives.get(event.placement) : undefined
    if (life === undefined) continue
    if (!life.first.has(event._tag)) life.first.set(event._tag, at)
    if (event._tag === "FeeEchoed") life.takenBasisPoints = event.basisPoints
    if (event._tag === "FillSeen") life.filledAt ??= event.filledAt
  }
  return [...lives.values()]
}

const beyond = ({ side, limit, takenBasisPoints }: Life, { low, high }: SeenMinute): number =>
  ((side === "BUY" ? limit - low : high - limit) / limit) * 10_000 - takenBasisPoints

const touchesOf = (life: Life, minutes: ReadonlyMap<number, SeenMinute>) => {
  const from = life.first.get("DepositSeen")
  const until = life.filledAt ?? life.first.get("CancelSent") ?? life.first.get("Closed")
  const tally = { edge: undefined as number | undefined, early: 0, late: 0, touched: 0, without: 0 }
  if (from === undefined || until === undefined) return tally
  const last = Math.floor(until / minuteMillis) * minuteMillis
  // The minute of the deposit says nothing: the price may have been there before the order was.
  for (let at = Math.floor(from / minuteMillis + 1) * minuteMillis; at <= last; at += minuteMillis) {
    const minute = minutes.get(at)
    const isFill = life.filledAt !== undefined && at === last
    if (minute === undefined || (at === last && !isFill)) continue
    const edge = beyond(life, minute)
    if (edge >= 0) tally.touched++
    if (edge >= 0 && !isFill) tally.without++
    if (isFill) tally.edge = Math.max(0, edge)
    if (isFill) tally.early = tally.touched > 0 ? 0 : Math.max(0, -edge)
    else tally.late = Math.max(tally.late, edge)
  }
  return tally
}

export const measure = (
  events: Iterable<Recorded>,
  minutesOf: ReadonlyMap<string, ReadonlyArray<SeenMinute>>,
  accountTerms: OrderTerms = {}
) => {
  const lives = livesOf(events, accountTerms)
  const minutes = new Map(
    [...minutesOf].map(([market, all]) => [market, new Map(all.map((minute) => [minute.openedAt, minute]))])
  )
  const between = (from: BotEvent["_tag"], to: BotEvent["_tag"]): Measured =>
    measured(
      lives.flatMap(({ first }) => {
        const [start, end] = [first.get(from), first.get(to)]
        return start === undefined || end === undefined || end < start ? [] : [end - start]
      })
    )
  const touches = lives.map((life) => touchesOf(life, minutes.get(life.market) ?? new Map()))
  const filled = touches.filter(({ edge }) => edge !== undefined)
  const payouts = lives.flatMap(({ first, filledAt }) => {
    const payoutAt = first.get("PaidOut")
    return payoutAt === undefined || filledAt === undefined || payoutAt < filledAt ? [] : [payoutAt - filledAt]
  })
  return {
    /** Milliseconds. `place`: from the plan to a deposit that others see; the three before are its parts. */
    create: between("CreateSent", "Bound"),
    funding: between("FundingSigned", "FundingAcknowledged"),
    visibility: between("FundingAcknowledged", "DepositSeen"),
    place: between("Planned", "DepositSeen"),
    cancel: between("CancelSent", "Closed"),
    payout: measured(payouts),
    /** Basis points beyond the limit in the minute of a fill. */
    edge: measured(touches.flatMap(({ edge }) => (edge === undefined ? [] : [edge]))),
    /** Basis points. `early`: how far the stored prices were from the limit at the fill. `late`: how far they had gone beyond it before. */
    early: measured(filled.map(({ early }) => early)),
    late: measured(filled.map(({ late }) => late)),
    /** Minutes that reached the limit of an open order, and the number of them without a fill. */
    touched: touches.reduce((sum, { touched }) => sum + touched, 0),
    touchedWithoutFill: touches.reduce((sum, { without }) => sum + without, 0)
  }
}

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

export const describe = (calibration: Calibration): ReadonlyArray<string> => {
  const figure = (name: string, { count, p25, p50, p90 }: Measured, text: (value: number) => string): string =>
    count < enough
      ? `${name}: measured ${countText(count, "time")}, ${enough} are needed: the default is used`
      : `${name}: ${text(p25)}, ${text(p50)}, ${text(p90)} (p25, p50, p90) in ${count} observations`
  const { touched, touchedWithoutFill } = calibration
  return [
    figure("placing", calibration.place, seconds),
    figure("payout", calibration.payout, seconds),
    figure("cancelling", calibration.cancel, seconds),
    figure("beyond the limit at a fill", calibration.edge, (value) => `${value.toFixed(1)} basis points`),
    figure("not reached yet when it filled", calibration.early, (value) => `${value.toFixed(1)} basis points`),
    figure("beyond the limit before it filled", calibration.late, (value) => `${value.toFixed(1)} basis points`),
    touched === 0
      ? "no stored minute reached a resting order"
      : `${touchedWithoutFill} of ${touched} minutes that reached a resting order did not fill it`
  ]
}
