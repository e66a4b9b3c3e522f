/** What a person should look at, worst first: money that is stuck, money in doubt, and decisions that wait. */

import { unclearPayment } from "../../engine/funding/Paying.ts"
import * as Problems from "../../engine/funding/Problems.ts"
import { operatorLimit } from "../../engine/planning/OperatorPause.ts"
import { type BotState, slotKey, unfinished } from "../../engine/state/BotState.ts"
import * as Money from "../../report/text/Money.ts"
import { age } from "../../report/text/Words.ts"
import type { ProblemView } from "../api/Views.ts"

/** After this long, a payment that was sent and not confirmed is in doubt. */
const doubtMillis = 120_000

const problem = (
  severity: ProblemView["severity"],
  kind: string,
  subject: string,
  text: string,
  { since = null, command = null, resolve = null }: Partial<Pick<ProblemView, "since" | "command" | "resolve">> = {}
): ProblemView => ({ severity, kind, subject, text, since, command, resolve })

export interface BotCondition {
  readonly now: number
  /** When the last complete turn ended, and when that is too long ago. */
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
          `The venue has not answered for ${age(at.now - state.venueDownSince)}; resting orders stay (${state.venueDownWhy})`,
          { since: state.venueDownSince }
        )
      ]),
  ...(state.diskFullSince === undefined
    ? []
    : [
        problem("alarm", "disk-full", "disk", "The disk is full: nothing new is placed or funded, cancels still work", {
          since: state.diskFullSince
        })
      ]),
  ...(state.leaseLost === undefined ? [] : [problem("alarm", "journal-gone", "journal", state.leaseLost)]),
  ...(state.broken === undefined
    ? []
    : [
        problem(
          "alarm",
          "journal-changed",
          "journal",
          `The journal is not what was written, nothing is funded: ${state.broken}`
        )
      ]),
  ...[...state.doubts].map(([market, { reason, since }]) =>
    problem("warn", "no-price", market, `Nothing new is placed, and nothing withdrawn by its price: ${reason}`, {
      since
    })
  ),
  ...lateTurn(state, at),
  ...forSomebodysWord(state, assets, at.now),
  ...placementProblems(state, assets, at.now),
  ...residuals(state, assets),
  ...[...state.strategies.values()].flatMap(({ name, failing }) =>
    failing === undefined
      ? []
      : [
          problem("alarm", "plan-failed", name, `Cannot be planned (${failing.reason}); its orders stay as they are`, {
            since: failing.since
          })
        ]
  ),
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

/** Only a person can decide these; each names the words that would be accepted now. */
const forSomebodysWord = (state: BotState, assets: Money.Assets, now: number): ReadonlyArray<ProblemView> =>
  Problems.problemsOf(state, now).map(({ amount, asset, evidence, kind, placement, since, slot, strategy }) => {
    const words = Problems.acceptedWords(state, placement, now)
    return problem("alarm", kind, slotKey(strategy, slot), meaning[kind](Money.withSymbol(assets, asset, amount)), {
      since,
      command: "resolve",
      resolve: { placement, words, evidence }
    })
  })

const meaning: Readonly<Record<Problems.MoneyProblem["kind"], (amount: string) => string>> = {
  "in-doubt": (amount) =>
    `Nobody knows whether ${amount} was paid: the money stays reserved, the slot gets nothing new`,
  stuck: (amount) => `${amount} has not shown up for an hour although it should have`,
  frozen: (amount) => `No new funding: the venue gave a payment of ${amount} up`,
  contradiction: (amount) => `No new funding: the venue contradicted itself about ${amount}`
}

/** What will resolve itself but is worth a look until then. */
const placementProblems = (state: BotState, assets: Money.Assets, now: number): ReadonlyArray<ProblemView> => {
  const told = new Set(Problems.problemsOf(state, now).map(({ placement }) => placement))
  return unfinished(state).flatMap((placement): ReadonlyArray<ProblemView> => {
    if (told.has(placement.id)) return []
    const subject = slotKey(placement.strategy, placement.slot)
    const { changedAt: since, funding, inputAsset } = placement
    const amount = Money.withSymbol(assets, inputAsset, funding?.amount ?? 0n)
    if (unclearPayment(placement) !== undefined || funding?.payment?.state === "unclear") {
      return [
        problem("alarm", "unclear-payment", subject, `It is unclear whether the wallet paid ${amount}`, { since })
      ]
    }
    const isSent = placement.state === "funding" && placement.funding.attempts > 0 && placement.deposited === 0n
    if (isSent && now - since > doubtMillis) {
      const text = `${amount} was sent ${age(now - since)} ago and no deposit shows yet`
      return [problem("warn", "in-doubt", subject, text, { since, command: "reconcile" })]
    }
    return []
  })
}

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
