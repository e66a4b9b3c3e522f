/** Profit against holding the same budgets, in one quote asset, as a bot's API and an account's row in a fleet report it. */
import { Schema } from "effect"

export const ProfitReport = Schema.Struct({
  asset: Schema.String,
  total: Schema.String,
  /** Earned by running strategies, as a share of their budgets at the present price; null if a budget has no price. */
  share: Schema.NullOr(Schema.Finite),
  /** The budgets of the running strategies and what they earned. A bot or runner of an earlier version reports none of these three. */
  equity: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The share of the equity that moves with a price, from 0 to 1; null without a positive equity. */
  exposure: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  /** The total over the last month, oldest first, at 30 points at most. For charts, not for books. */
  curve: Schema.optionalKey(Schema.Array(Schema.Finite))
})
export type ProfitReport = typeof ProfitReport.Type
