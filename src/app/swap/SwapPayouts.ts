/** Lists the payouts of a swap of type ANY_INPUT, as the venue reports them. */
import { Effect } from "effect"
import { type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import { iso } from "../../domain/Text.ts"
import { countText } from "../../domain/Words.ts"
import * as Answer from "../../process/Answer.ts"
import * as Table from "../../report/text/Table.ts"
import { Swaps, type Withdrawals, type WithdrawalsQuery } from "../../venue/Swaps.ts"
import * as VenueAccess from "./VenueAccess.ts"

export const listPayouts = Effect.fn("SwapPayouts.found")(function* (config: string, query: WithdrawalsQuery) {
  const { limit, page } = query
  const venueAnswer = yield* VenueAccess.look(config, () => Swaps.use((swaps) => swaps.withdrawals(query)))
  const { value } = venueAnswer.found
  const asset = venueAnswer.config.markets.assets.find(({ id }) => id === value.asset)
  const answer = Answer.ofList(withdrawalList(asset), value.withdrawals, "No withdrawals.")
  const odd = `${countText(value.odd.length, "record")} without exact values: see --json`
  return {
    ...answer,
    data: () => {
      const { affiliateRecipient = null, asset = null, odd, recipient = null } = value
      return { asset, recipient, affiliateRecipient, page, limit, withdrawals: answer.data(), odd }
    },
    lines: () => [...answer.lines(), ...(value.odd.length === 0 ? [] : [odd])]
  }
})

const withdrawalList = (asset: Asset | undefined) =>
  Table.of<Withdrawals["withdrawals"][number]>([
    { title: "TIME", value: ({ at }) => at && iso(at) },
    { key: "status", title: "STATUS", value: ({ status }) => status },
    {
      key: "amountOut",
      title: "PAID OUT",
      value: ({ amountOut }) => `${amountOut}`,
      text: ({ amountOut }) =>
        asset === undefined ? `${amountOut} smallest units` : formatWithSymbol(amountOut, asset)
    },
    { key: "withdrawFee", value: ({ withdrawFee }) => withdrawFee?.toString() },
    { key: "timestamp", value: ({ at }) => at && iso(at) },
    { key: "hash", title: "TRANSACTION", value: ({ hash }) => hash }
  ])
