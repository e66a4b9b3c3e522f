/** Lists every swap of the journal, with its phase and outcome. */
import { Effect } from "effect"
import { formatWithSymbol } from "../../domain/Amount.ts"
import { iso } from "../../domain/Text.ts"
import * as SwapHistory from "../../engine/state/swaps/SwapHistory.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as Answer from "../../process/Answer.ts"
import * as Table from "../../report/text/Table.ts"
import { swapView } from "../../views/Swaps.ts"
import { withJournal } from "../journal/JournalView.ts"

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
