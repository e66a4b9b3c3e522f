/** Lists the orders and payments of a journal that can still act or be paid, in the order of an order's life. */
import * as Payload from "../../domain/Payload.ts"
import { present } from "../../domain/Present.ts"
import { unfinished } from "../../engine/state/BotState.ts"
import type { Placement } from "../../engine/state/Placement.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as Money from "../../report/text/Money.ts"
import type { JournalView } from "../journal/JournalView.ts"
import type { LookedAt, Loose } from "./Containment.ts"

type View = Pick<JournalView, "assets" | "journal" | "now" | "state">

const placementText = ({ order, slot, strategy, id }: Placement): string =>
  `${slotKey(strategy, slot)} ${order?.id ?? id}`

const inputOf = ({ assets }: View, { funding, inputAmount, inputAsset }: Placement): string =>
  Money.withSymbol(assets, inputAsset, funding?.amount ?? inputAmount)

const fates = {
  unsent: "signed, and not sent",
  executed: "paid; no deposit seen yet",
  refused: "sent and refused, but executable while it is valid",
  doubtful: "sent, execution unknown"
} as const

const payments = (view: View, all: ReadonlyArray<Placement>): ReadonlyArray<Loose> =>
  all
    .filter(({ state }) => state === "funding" || state === "in doubt")
    .map((each) => {
      const { funding } = each
      const isByWallet = funding?.payment !== undefined
      const text = isByWallet
        ? "requested from a wallet, which may still pay"
        : fates[funding === undefined ? "doubtful" : Payload.certaintyOf(funding)]
      return {
        id: placementText(each),
        text,
        amount: inputOf(view, each),
        ...present({ until: isByWallet ? undefined : funding?.validUntil })
      }
    })

/** Orders that anyone with the key could still pay, also those that no slot plans. */
const unpaid = (view: View, all: ReadonlyArray<Placement>): ReadonlyArray<Loose> => [
  ...all
    .filter(({ state }) => state === "planned" || state === "creating" || state === "created")
    .map((each) => ({ id: placementText(each), text: `${each.state}, and not paid`, amount: inputOf(view, each) })),
  ...[...view.state.placements.values()].flatMap(({ spares }) =>
    [...spares].flatMap(([id, isCancelled]) =>
      isCancelled ? [] : [{ id, text: "a spare order, not funded and not cancelled yet" }]
    )
  )
]

const resting = (view: View, all: ReadonlyArray<Placement>): ReadonlyArray<Loose> =>
  all
    .filter(({ state }) => state === "open")
    .map((each) => ({
      id: placementText(each),
      text: `open${each.cancel === undefined ? "" : ", and to be cancelled"}`,
      amount: inputOf(view, each),
      until: each.deadline
    }))

const comingBack = (view: View, all: ReadonlyArray<Placement>): ReadonlyArray<Loose> =>
  all
    .filter(({ state }) => state === "closing")
    .map((each) => ({
      id: placementText(each),
      text: `ended; payout ${each.payout}, refund ${each.refund}`,
      amount: inputOf(view, each)
    }))

export const of = (view: View): readonly [LookedAt, ...ReadonlyArray<LookedAt>] => {
  const all = unfinished(view.state)
  const at = `${view.journal} up to event ${view.state.sequence}`
  const list = (name: string, found: ReadonlyArray<Loose>): LookedAt => ({ name, at, lookedAt: view.now, found })
  return [
    list("Signed payments that may still be executed", payments(view, all)),
    list("Orders that are not paid", unpaid(view, all)),
    list("Orders that rest", resting(view, all)),
    list("Money on its way back", comingBack(view, all))
  ]
}
