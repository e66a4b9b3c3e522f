/** When spread or centre of the quotes may change, apart from the mid. */
import { present } from "../../../domain/Present.ts"
import { commonMillis, timeframeMillis, timeframeOf } from "../../../domain/Timeframe.ts"
import type { Bounds } from "../../Decision.ts"
import type { View } from "../../View.ts"
import * as Model from "../AvellanedaStoikov.ts"
import type { Spread } from "../Volatility.ts"
import type { SeenCentre } from "./Centre.ts"

type Changes = Partial<Pick<Bounds, "barClose" | "depth" | "signals" | "time">>

const ofSpread = ({ follows, model }: Spread, now: number | undefined): Changes => ({
  ...(follows === undefined ? {} : { barClose: follows.series.timeframe }),
  ...(model === undefined ? {} : { barClose: model.timeframe }),
  ...(model === undefined || now === undefined ? {} : { time: Model.changesAt(model, now) })
})

/** `isQuoting`: a model's quotes change with the time as well. */
export const changesIn = (spread: Spread, centre: SeenCentre, { now }: View, isQuoting: boolean): Changes => {
  const each = [ofSpread(spread, isQuoting ? now : undefined), centre.changes]
  const closes = each.flatMap(({ barClose }) => (barClose === undefined ? [] : [timeframeMillis(barClose) ?? 0]))
  const barClose = closes.length === 0 ? undefined : timeframeOf(closes.reduce(commonMillis))
  const times = each.flatMap(({ time }) => (time === undefined ? [] : [time]))
  const { depth, signals } = centre.changes
  return present({ barClose, depth, signals, time: times.length === 0 ? undefined : Math.min(...times) })
}
