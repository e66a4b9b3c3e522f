/** Common to all views: exact decimals in text, times in epoch milliseconds, and no field for keys, tokens or signed bytes. */
import { Schema } from "effect"

export const Time = Schema.Int
export const Side = Schema.Literals(["BUY", "SELL"])

export const asOf = { at: Time, sequence: Schema.Int }
