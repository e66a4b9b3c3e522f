/** Lists swaps: every one of the journal, with its phase and outcome, and the payouts of a swap of type ANY_INPUT. */
import { Effect } from "effect"
import { type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import { countText, iso } from "../../domain/Text.ts"
import * as SwapHistory from "../../engine/state/swaps/SwapHistory.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as Answer from "../../process/Answer.ts"
import * as Table from "../../report/text/Table.ts"
import type { WithdrawalsQuery } from "../../venue/api/DepositsApi.ts"
import { Swaps, type Withdrawals } from "../../venue/Swaps.ts"
import { swapView } from "../../views/Swaps.ts"
import { withJournal } from "../journal/JournalView.ts"
import * as VenueAccess from "./VenueAccess.ts"

const columns = Table.of<SwapHistory.SwapHistory>([
  { key: "swap", title: "SWAP", value: ({ id }) => id },
  { key: "agreed", title: "AGREED", value: ({ placement }) => iso(placement.plannedAt) },
  { key: "pays", title: "PAYS", value: ({ agreed }) => formatWithSymbol(agreed.amountIn, agreed.origin) },
  { key: "receives", title: "RECEIVES", value: (swap) => formatWithSymbol(receivedOf(swap), swap.agreed.destination) },
  { key: "phase", title: "PHASE", value: SwapHistory.phaseOf },
  { key: "status", title: "VENUE SAYS", value: ({ placement }) => placement.report?.status },
  { key: "outcome", title: "OUTCOME", value: (swap) => SwapHistory.endOf(swap)?.outcome }
])

const evidence = { ...columns, json: (swaps: ReadonlyArray<SwapHistory.SwapHistory>) => swaps.map(swapView) }

const receivedOf = (swap: SwapHistory.SwapHistory): bigint =>
  SwapHistory.endOf(swap) === undefined ? swap.agreed.amountOut : SwapHistory.moneyOf(swap).received

export const swaps = withJournal(({ journal }) =>
  SwapHistory.all.pipe(
    Effect.map((all) => Answer.ofList(evidence, all, "No swaps yet.")),
    Effect.provide(Sqlite.layer({ filename: journal, readOnly: true }))
  )
)

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
