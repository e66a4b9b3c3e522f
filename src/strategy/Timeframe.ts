/** Strategies decide by whole minutes, because the bot builds its own candles from minutes. */
import { timeframeMillis } from "../domain/Timeframe.ts"
import * as Read from "./Fields.ts"

export const isTimeframe = (text: string): boolean => timeframeMillis(text) !== undefined && !text.endsWith("s")

export const timeframe = Read.written(
  Read.scalar("a timeframe such as 15m, 4h or 1d", (text) => (isTimeframe(text) ? text : undefined), undefined, {
    type: "string",
    pattern: "^[1-9]\\d{0,3}[mhdw]$"
  }),
  String
)

export const usualTimeframe = Read.withDefault(timeframe, "1h", "of candles whose timeframe is not written")
