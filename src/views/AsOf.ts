/**
 * The common form of all views. Amounts and prices are exact decimals as text, times are epoch milliseconds, and an answer says when it was
 * true. Secrets have no field here: keys, tokens and signed bytes cannot get out.
 */
import { Schema } from "effect"

export const Time = Schema.Int
export const Side = Schema.Literals(["BUY", "SELL"])

export const asOf = { at: Time, sequence: Schema.Int }
