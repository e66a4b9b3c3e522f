/**
 * I24: the money that people are shown is the journal's and nothing else. The judge adds up what is on disk by itself and
 * compares it with the page's own view of the bot's memory; the amounts are compared as the texts that people read.
 */

import type * as Ledger from "../../../src/domain/Ledger.ts"
import type { BotState } from "../../../src/engine/state/BotState.ts"
import * as Money from "../../../src/report/text/Money.ts"
import { moneyView } from "../../../src/views/Money.ts"
import { assets } from "../../world/bot/market.ts"
import { Violation } from "./Judge.ts"

const configured: Money.Assets = new Map(assets.map((asset) => [asset.symbol, asset]))

export interface Books {
  booksOf(bot: string): { readonly events: number; readonly ledger: Ledger.Ledger }
}

export const check = ({ booksOf }: Books, bot: string, state: BotState): void => {
  const { events, ledger } = booksOf(bot)
  // Between the disk and the memory lies a step in which nothing is shown yet.
  if (state.sequence !== events) return
  const shown = moneyView(state, configured).rows
  const told = Money.rows(ledger, configured)
  const texts = [shown, told].map((rows) =>
    rows.map(({ amount, asset, place }) => `${amount} ${asset} ${place}`).join()
  )
  if (texts[0] !== texts[1]) throw new Violation("I24", `${bot} shows ${texts[0]}; on disk is ${texts[1]}`)
}
