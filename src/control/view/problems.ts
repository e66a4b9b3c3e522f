/** What a person should look at, worst first: what moves no money any more, what is in doubt, what waits for a decision. */
import { unclearPayment } from "../../engine/funding/Paying.ts"
import { operatorLimit } from "../../engine/planning/OperatorPause.ts"
import { type BotState, slotKey, unfinished } from "../../engine/state/BotState.ts"
import * as Money from "../../report/text/Money.ts"
import { age } from "../../report/text/Words.ts"
import type { ProblemView } from "../api/Views.ts"

/** A payment that was sent and not confirmed is in doubt after this long. */
const doubtMillis = 120_000

const problem = (
  severity: ProblemView["severity"],
  kind: string,
  subject: string,
  text: string,
  { since = null, command = null }: Partial<Pick<ProblemView, "since" | "command">> = {}
): ProblemView => ({ severity, kind, subject, text, since, command })

export interface BotCondition {
  readonly now: number
  /** When the last turn was complete, and when that is too long ago. */
  readonly turnedAt: number
  readonly lateAfterMillis: number
  readonly hasPrices: boolean
}

export const problemsOf = (state: BotState, assets: Money.Assets, at: BotCondition): ReadonlyArray<ProblemView> => [
  ...(state.killed === undefined
    ? []
    : [problem("alarm", "kill-switch", "all", `Kill switch: ${state.killed}`, { command: "release" })]),
  ...(state.venueDownSince === undefined
    ? []
    : [
        problem(
          "alarm",
          "venue-down",
          "venue",
          `The venue has not answered for ${age(at.now - state.venueDownSince)}; resting orders stay`,
          { since: state.venueDownSince }
        )
      ]),
  ...lateTurn(state, at),
  ...[...state.slots.values()].flatMap(({ strategy, slot, frozen }) =>
    frozen === undefined
      ? []
      : [problem("alarm", "frozen", slotKey(strategy, slot), `No new funding: ${frozen}`, { command: "resolve" })]
  ),
  ...placementProblems(state, assets, at.now),
  ...residuals(state, assets),
  ...[...state.strategies.values()].flatMap(({ name, paused }) =>
    paused === undefined
      ? []
      : [
          problem(
            paused.limit === operatorLimit ? "warn" : "alarm",
            "paused",
            name,
            `${paused.action === "drain" ? "Paused, orders withdrawn" : "Paused"} by ${paused.limit === operatorLimit ? "the operator" : `its limit ${paused.limit}`}: ${paused.reason}`,
            { command: "resume" }
          )
        ]
  )
]

const lateTurn = (state: BotState, { now, turnedAt, lateAfterMillis }: BotCondition): ReadonlyArray<ProblemView> => {
  const since = Math.max(turnedAt, state.runStartedAt)
  if (state.venueDownSince !== undefined || now - since <= lateAfterMillis) return []
  return [problem("alarm", "late", "bot", `No turn has ended for ${age(now - since)}`, { since })]
}

const placementProblems = (state: BotState, assets: Money.Assets, now: number): ReadonlyArray<ProblemView> =>
  unfinished(state).flatMap((placement): ReadonlyArray<ProblemView> => {
    const subject = slotKey(placement.strategy, placement.slot)
    const { changedAt: since, funding, inputAsset } = placement
    const amount = Money.withSymbol(assets, inputAsset, funding?.amount ?? 0n)
    if (unclearPayment(placement) !== undefined || funding?.payment?.state === "unclear") {
      return [
        problem("alarm", "unclear-payment", subject, `It is unclear whether the wallet paid ${amount}`, { since })
      ]
    }
    if (placement.payout === "failed" || placement.refund === "failed") {
      const leg = placement.payout === "failed" ? "payout" : "refund"
      return [problem("alarm", "leg-failed", subject, `The venue gave the ${leg} up`, { since, command: "resolve" })]
    }
    if (placement.state === "in doubt") {
      const text = `Nobody knows whether ${amount} was paid: ${placement.doubt.reason}`
      return [problem("alarm", "in-doubt", subject, text, { since: placement.doubt.since, command: "resolve" })]
    }
    const isInDoubt = placement.state === "funding" && funding !== undefined && placement.deposited === 0n
    if (isInDoubt && now - since > doubtMillis) {
      const text = `${amount} was sent ${age(now - since)} ago and no deposit shows yet`
      return [problem("warn", "in-doubt", subject, text, { since, command: "reconcile" })]
    }
    return []
  })

const residuals = ({ ledger }: BotState, assets: Money.Assets): ReadonlyArray<ProblemView> =>
  Object.entries(Money.residual(ledger, assets)).flatMap(([asset, amount]) =>
    Number(amount) === 0
      ? []
      : [
          problem("warn", "residual", asset, `${amount} ${asset} is unexplained: what the venue said does not add up`, {
            command: "reconcile"
          })
        ]
  )
