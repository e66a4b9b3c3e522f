/**
 * I10, I11 and dust, by the venue's own fills: each is posted once, with the venue's amounts, at rest none is missing, and what
 * comes back is no more than was left. The
 * judge keeps a ledger of its own from what is on disk; what leaves the dust is never more than what went there (I22), and
 * what people are shown is that ledger (I24).
 */
import type { Amount } from "../../../src/domain/Amount.ts"
import type { BotEvent, Of } from "../../../src/domain/BotEvent.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import type { SandboxOrder } from "../../../src/sandbox/core/State.ts"
import type { Court } from "./Judge.ts"

interface Account {
  readonly ledger: Ledger.Ledger
  readonly planned: Map<string, Of<"Planned">>
  readonly posted: Map<string, Map<string, Of<"FillSeen">>>
  /** What a withdrawal was last estimated to cost, before its order was paid. */
  readonly estimates: Map<string, Amount>
  readonly history: Array<BotEvent>
}

export interface VenueOrders {
  /** The order that a placement is bound to, unless it is a swap. */
  orderOf(bot: string, placement: string): Pick<SandboxOrder, "id" | "fills"> | undefined
  /** The venue's answers about it are not what it did. */
  isLiedAbout(orderId: string): boolean
}

export const make = ({ note, violated }: Court, { isLiedAbout, orderOf }: VenueOrders) => {
  const accounts = new Map<string, Account>()
  const accountOf = (bot: string): Account => {
    const known = accounts.get(bot)
    if (known !== undefined) return known
    const fresh: Account = {
      ledger: Ledger.make(),
      planned: new Map(),
      posted: new Map(),
      estimates: new Map(),
      history: []
    }
    accounts.set(bot, fresh)
    return fresh
  }

  const post = (bot: string, { planned, posted }: Account, event: Of<"FillSeen">): void => {
    const fills = posted.get(event.placement) ?? new Map<string, Of<"FillSeen">>()
    posted.set(event.placement, fills)
    const order = orderOf(bot, event.placement)
    const isTrue = order !== undefined && !isLiedAbout(order.id)
    const before = fills.get(event.fillId)
    // Only a liar's fills grow.
    if (before !== undefined && (isTrue || event.updatedAt === before.updatedAt))
      violated("I11", `${event.placement} posts the fill ${event.fillId} twice`)
    fills.set(event.fillId, { ...event, amountIn: event.amountIn + (before?.amountIn ?? 0n) })
    const spent = [...fills.values()].reduce((sum, { amountIn }) => sum + amountIn, 0n)
    const wanted = planned.get(event.placement)?.inputAmount ?? 0n
    if (spent > wanted) violated("I11", `the fills of ${event.placement} spend ${spent} of ${wanted}`)
    if (!isTrue) return
    const truth = order.fills.find(({ id }) => id === event.fillId)
    if (truth === undefined)
      return violated("I11", `${event.placement} posts ${event.fillId}, which the venue never did`)
    if (truth.amountIn !== event.amountIn || truth.amountOut !== event.amountOut)
      violated(
        "I11",
        `${event.fillId} moved ${truth.amountIn} and ${truth.amountOut}, not what ${event.placement} posts`
      )
  }

  /** I10: whatever the venue says, no more counts as ours again than the order has left, or has brought. */
  const comesBack = (bot: string, { estimates, planned }: Account, event: Of<"PaidOut" | "Refunded">): void => {
    const order = orderOf(bot, event.placement)
    const wish = planned.get(event.placement)
    if (order === undefined || wish === undefined) return
    const sumOf = (field: "amountIn" | "amountOut") => order.fills.reduce((sum, fill) => sum + fill[field], 0n)
    const most = event._tag === "PaidOut" ? sumOf("amountOut") : wish.inputAmount - sumOf("amountIn")
    const counted = event.amount + event.fee
    if (counted > most) violated("I10", `${event._tag} of ${event.placement} counts ${counted}, and there was ${most}`)
    // The venue pays out once, and a bot cannot know that it does not do so fill by fill.
    const dearest = (estimates.get(event.placement) ?? 0n) * BigInt(order.fills.length)
    if (event._tag === "PaidOut" && event.fee > dearest)
      violated("I10", `the payout of ${event.placement} counts a fee of ${event.fee}, and it is ${dearest} at most`)
  }

  const dustOf = ({ ledger }: Account, strategy: string, asset: string) => Ledger.dustOf(ledger, strategy, asset)

  const recorded = (bot: string, event: BotEvent): void => {
    const account = accountOf(bot)
    account.history.push(event)
    if (event._tag === "Planned") {
      account.planned.set(event.placement, event)
      const { inputAmount, inputAsset, slot, strategy } = event
      if (slot === Ledger.dustSlot(inputAsset)) {
        note("dust swept")
        const dust = dustOf(account, strategy, inputAsset)
        if (inputAmount > dust) violated("I22", `${event.placement} sells ${inputAmount} of ${dust} ${inputAsset} dust`)
      }
    }
    if (event._tag === "Bound" || event._tag === "FeesEstimated")
      account.estimates.set(event.placement, event.estimatedWithdrawFee)
    // What was said before is taken back, and read anew.
    if (event._tag === "TakenBack") account.posted.delete(event.placement)
    if (event._tag === "FillSeen") post(bot, account, event)
    if (event._tag === "PaidOut" || event._tag === "Refunded") comesBack(bot, account, event)
    Ledger.apply(account.ledger, event)
    if (event._tag === "LegClosed" && dustOf(account, event.strategy, event.asset) > 0n) note("dust booked")
  }

  return {
    recorded,
    /** The disk lost the newest events. */
    lost: (bot: string, count: number): void => {
      const { history } = accountOf(bot)
      accounts.delete(bot)
      for (const event of history.slice(0, history.length - count)) recorded(bot, event)
    },
    /** What is on disk of a bot, as the judge adds it up, and up to which event. */
    booksOf: (bot: string) => {
      const { history, ledger } = accountOf(bot)
      return { events: history.length, ledger }
    },
    /** At rest: every fill of the venue is posted. */
    complete: (): void => {
      for (const [bot, { planned, posted }] of accounts) {
        for (const placement of planned.keys()) {
          const order = orderOf(bot, placement)
          if (order === undefined || isLiedAbout(order.id)) continue
          const missing = order.fills.find(({ id }) => posted.get(placement)?.has(id) !== true)
          if (missing !== undefined) violated("I11", `${placement} never posted the fill ${missing.id}`)
        }
      }
    }
  }
}
