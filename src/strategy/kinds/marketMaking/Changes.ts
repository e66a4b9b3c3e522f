/** The times at which spread or centre of the quotes may change, apart from the mid. */
import { type Ends, sooner } from "../../Decision.ts"
import type { View } from "../../View.ts"
import * as Model from "../AvellanedaStoikov.ts"
import type { Spread } from "../Volatility.ts"
import type { SeenCentre } from "./Centre.ts"

const ofSpread = ({ follows, model }: Spread, now: number | undefined): Ends => ({
  ...(follows === undefined ? {} : { barClose: follows.series.timeframe }),
  ...(model === undefined ? {} : { barClose: model.timeframe }),
  ...(model === undefined || now === undefined ? {} : { time: Model.changesAt(model, now) })
})

export const changesIn = (spread: Spread, centre: SeenCentre, { now }: View, isQuoting: boolean): Ends =>
  sooner(ofSpread(spread, isQuoting ? now : undefined), centre.changes)
