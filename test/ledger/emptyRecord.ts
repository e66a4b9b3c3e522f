/** A journal in which nobody traded, to which a test adds what it is about. */
import type { TradingRecord } from "../../src/ledger/Trades.ts"

export const emptyRecord: TradingRecord = {
  trades: [],
  losses: [],
  fees: [],
  flows: [],
  rounds: [],
  markets: new Map(),
  orders: [],
  lastPrices: new Map()
}
