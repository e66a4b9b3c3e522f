/** Problems that a person should check, in one table for all surfaces. Alarms come first, then the order of the table. */
import { Schema } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import * as Drift from "../domain/Drift.ts"
import { totals } from "../domain/Ledger.ts"
import { present } from "../domain/Present.ts"
import { age, clockText, operatorLimit, pausedBy } from "../domain/Text.ts"
import { unclearPayment } from "../engine/funding/Paying.ts"
import * as MoneyProblems from "../engine/funding/Problems.ts"
import { commandLineOf, holdsOnBot } from "../engine/holds/Holds.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import { mayBePaidEarlier } from "../engine/state/orders/JournalIntegrity.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import { leftPositions } from "../engine/state/strategies/LeftPosition.ts"
import type { StrategyState } from "../engine/state/strategies/StrategyState.ts"
import { overdueIn, type StepTerms } from "../engine/tracking/Overdue.ts"
import * as VenueTime from "../engine/tracking/VenueTime.ts"
import { leftText } from "../report/text/EventLine.ts"
import * as Money from "../report/text/Money.ts"
import { inOneLine } from "../strategy/Problem.ts"
import { Time } from "./AsOf.ts"
import { lateSince, type Pulse } from "./Pulse.ts"

export const Word = Schema.Literals(["paid", "not-paid", "adopt", "forget"])

export const ProblemView = Schema.Struct({
  severity: Schema.Literals(["alarm", "warn"]),
  kind: Schema.String,
  subject: Schema.String,
  text: Schema.String,
  since: Schema.NullOr(Time),
  command: Schema.NullOr(Schema.Literals(["release", "resume", "reconcile", "resolve"])),
  resolve: Schema.NullOr(
    Schema.Struct({ placement: Schema.String, words: Schema.Array(Word), evidence: Schema.String })
  )
})
export type ProblemView = typeof ProblemView.Type

export interface BotCondition {
  readonly now: number
  /** The bot that runs here. Without a bot nothing is late. */
  readonly pulse: Pulse | undefined
  readonly stuckAfter: StepTerms
}

interface Look extends BotCondition {
  readonly state: BotState
  readonly holds: ReturnType<typeof holdsOnBot>
  readonly assets: Money.Assets
}

type Case = Pick<ProblemView, "subject" | "text"> &
  Partial<Pick<ProblemView, "command" | "resolve" | "severity" | "since">>

interface Kind {
  readonly kind: string
  readonly severity: ProblemView["severity"]
  readonly command: ProblemView["command"]
  cases(look: Look): ReadonlyArray<Case>
}

/** A strategy that no file names any more has no problem of the running bot. */
export const mayRun = (strategy: StrategyState | undefined): boolean => strategy?.isLoaded !== false

const ofStrategies =
  (found: (strategy: StrategyState, look: Look) => Omit<Case, "subject"> | undefined): Kind["cases"] =>
  (look) =>
    [...look.state.strategies.values()].filter(mayRun).flatMap((strategy) => {
      const finding = found(strategy, look)
      return finding === undefined ? [] : [{ subject: strategy.name, ...finding }]
    })

const row =
  (severity: ProblemView["severity"]) =>
  (kind: string, cases: Kind["cases"], command: ProblemView["command"] = null): Kind => ({
    kind,
    severity,
    command,
    cases
  })
const alarm = row("alarm")
const warn = row("warn")

const lackOf = (amount: string): string =>
  `No new funding: an order with this bot's mark is not in the journal: ${amount}`

/** Only a person can decide these; each names the answers that would be accepted now. */
const asks = (kind: string, of: MoneyProblems.MoneyProblem["kind"], meaning: (amount: string) => string): Kind =>
  alarm(
    kind,
    ({ assets, now, state }) =>
      MoneyProblems.problemsOf(state, now)
        .filter((problem) => problem.kind === of)
        .map(({ amount, asset, evidence, placement, since, slot, strategy }) => ({
          subject: slotKey(strategy, slot),
          text: (state.integrity.forgotten.has(placement) ? lackOf : meaning)(Money.withSymbol(assets, asset, amount)),
          since,
          resolve: { placement, words: MoneyProblems.acceptedWords(state, placement, now), evidence }
        })),
    "resolve"
  )

const pauses =
  (isOperator: boolean) =>
  ({ name, paused }: StrategyState, { assets, state }: Look) => {
    if (paused === undefined || (paused.limit === operatorLimit) !== isOperator) return undefined
    if (paused.action === "pause") return { text: `Paused ${pausedBy(paused)}` }
    const positions = leftPositions(state, (strategy) => strategy.name === name).map((left) => leftText(left, assets))
    const open = positions.length === 0 ? "" : `; it ${positions.join(", ")}, and places no exit`
    return { text: `Paused, orders cancelled ${pausedBy(paused)}${open}` }
  }

const changed = (drift: Drift.Drift): Case => ({
  subject: "service",
  text: `Differs from its record: ${Drift.sentenceOf(drift)}. See: limitbot check --service`
})

const isUnclear = (placement: ReturnType<typeof unfinished>[number]): boolean =>
  unclearPayment(placement) !== undefined || placement.funding?.payment?.state === "unclear"

const kindOfHold = (kind: string): Kind =>
  alarm(kind, ({ holds }) =>
    holds
      .filter(({ code }) => code === kind)
      .map(({ lifts, sentence, since, subject, text }) => ({
        subject,
        text: sentence ?? text,
        command: lifts === "itself" ? null : lifts,
        ...present({ since })
      }))
  )

/** Each case has its own line, because its position can lose without limit. */
const withoutExit = "exit-refused"

const kinds: ReadonlyArray<Kind> = [
  kindOfHold("kill-switch"),
  alarm("venue-down", ({ now, state: { venueDownSince: since, venueDownWhy } }) => {
    if (since === undefined) return []
    const text = `The venue has not answered for ${age(now - since)}; resting orders stay (${venueDownWhy})`
    return [{ subject: "venue", text, since }]
  }),
  ...["journal-gone", "journal-moved", "journal-changed", "journal-behind", "witness-disagrees"].map(kindOfHold),
  alarm("journal-cut", ({ state }) => {
    const text =
      "Its last events may be missing, so free balances are uncertain. The bot asks the venue for later events and watches started orders for two minutes"
    return state.integrity.isTorn || unfinished(state).some(mayBePaidEarlier) ? [{ subject: "journal", text }] : []
  }),
  ...["disk-full", "clock-wrong"].map(kindOfHold),
  alarm("late", ({ now, pulse, state }) => {
    const since = pulse === undefined ? undefined : lateSince(state, pulse, now)
    return since === undefined ? [] : [{ subject: "bot", text: `No turn has ended for ${age(now - since)}`, since }]
  }),
  asks("contradiction", "contradiction", (amount) => `No new funding: the venue contradicted itself about ${amount}`),
  asks(
    "in-doubt",
    "in-doubt",
    (amount) => `Unclear whether ${amount} was paid: the money stays reserved, the slot gets no new order`
  ),
  asks("frozen", "frozen", (amount) => `No new funding: the venue gave up on a payment of ${amount}`),
  asks(
    "unproven",
    "unproven",
    (amount) => `The venue reports a swap of ${amount} as succeeded without amounts: state the amount that arrived`
  ),
  asks("missing", "stuck", (amount) => `${amount} has been overdue for more than an hour`),
  alarm("unclear-payment", ({ assets, state }) =>
    unfinished(state)
      .filter((placement) => placement.state !== "in doubt" && isUnclear(placement))
      .map(({ changedAt: since, funding, inputAsset, slot, strategy }) => ({
        subject: slotKey(strategy, slot),
        text: `It is unclear whether the wallet paid ${Money.withSymbol(assets, inputAsset, funding?.amount ?? 0n)}`,
        since
      }))
  ),
  alarm(
    "left-position",
    ({ assets, state }) =>
      leftPositions(state).map((left) => ({
        subject: left.strategy,
        text: `It ${leftText(left, assets)}, and no strategy file has this name. Give a file the name again, or leave the position to the account`
      })),
    "resume"
  ),
  alarm(withoutExit, ({ assets, state }) =>
    [...state.refusedExits.values()]
      .filter(({ strategy }) => mayRun(state.strategies.get(strategy)))
      .map(({ limit, reason, since, slot, strategy, wanted }) => {
        const exit = `${wanted.side} ${Money.withSymbol(assets, wanted.asset, wanted.quantity)} at ${Decimal.format(wanted.price)}`
        const own = state.placements.get(state.slots.get(slotKey(strategy, slot))?.placement ?? "")
        const rests = own?.state === "open" && own.cancel === undefined ? own : undefined
        if (wanted.rests) {
          const standing = rests === undefined ? "not filled" : "open and not filled"
          return { subject: slotKey(strategy, slot), text: `The exit ${exit} is ${standing}: ${reason}`, since }
        }
        const by = limit === undefined ? "" : `, refused by its limit ${limit}`
        const beside = rests === undefined ? "" : `; the order at ${Decimal.format(rests.price)} stays`
        const text = `The exit ${exit} is not in the market${by}: ${reason}${beside}`
        return { subject: slotKey(strategy, slot), text, since }
      })
  ),
  alarm(
    "plan-failed",
    ofStrategies(({ failing }) =>
      failing === undefined
        ? undefined
        : { text: `Cannot be planned (${failing.reason}); its orders stay open`, since: failing.since }
    )
  ),
  alarm(
    "witness-contradicts",
    ({ state }) =>
      (state.reconciled?.contradictions ?? []).map((text) => ({
        subject: "journal",
        text: `The comparison found: ${text}`
      })),
    "reconcile"
  ),
  alarm("service-changed", ({ state: { drift } }) => drift.filter(({ closesFunding }) => closesFunding).map(changed)),
  alarm("paused-by-limit", ofStrategies(pauses(false)), "resume"),
  warn("edit-rejected", ({ state: { rejectedEdit } }) => {
    const text = `The edited files are rejected, the old ones still run: ${rejectedEdit?.map(inOneLine).join("; ")}`
    return rejectedEdit === undefined ? [] : [{ subject: "files", text }]
  }),
  warn(
    "foreign",
    ({ state }) =>
      (state.reconciled?.foreign ?? []).map(({ address, kind, subject, text }) => ({
        subject: "account",
        text: `Unknown ${kind} ${subject}${subject === address ? "" : ` at ${address}`} on this account (not touched): ${text}`
      })),
    "reconcile"
  ),
  warn("service-differs", ({ state: { drift } }) =>
    drift.filter(({ closesFunding, what }) => !closesFunding && what !== Drift.incidentFeed).map(changed)
  ),
  warn("incident-feed", ({ state: { drift } }) =>
    drift
      .filter(({ what }) => what === Drift.incidentFeed)
      .map(({ is }) => ({
        subject: "incidents",
        text: `The feed of incidents is ${is}`
      }))
  ),
  warn("no-price", ({ now, state }) =>
    [...state.doubts].map(([market, { isUnquoted, reason, since }]) => ({
      severity: isUnquoted ? "alarm" : "warn",
      subject: market,
      text: `No price for ${age(now - since)}: ${isUnquoted ? "stops and orders wait for one" : "orders are neither placed nor moved"} (${reason})`,
      since
    }))
  ),
  warn("clock-off", ({ state }) =>
    state.clock?.ok === false && VenueTime.problem(state) === undefined
      ? [{ subject: "clock", text: `Beyond 30 s nothing is funded: ${clockText(state.clock.skewMillis)}` }]
      : []
  ),
  warn(
    "stuck",
    ({ assets, now, state, stuckAfter }) => {
      // Problems that need an operator's answer are listed separately.
      const moneyPlacements = new Set(MoneyProblems.problemsOf(state, now).map(({ placement }) => placement))
      return overdueIn(state, stuckAfter, now)
        .filter(({ placement }) => !moneyPlacements.has(placement.id) && !isUnclear(placement))
        .map(({ placement: { inputAmount, inputAsset, slot, strategy }, since, text }) => ({
          subject: slotKey(strategy, slot),
          text: `${Money.withSymbol(assets, inputAsset, inputAmount)} has waited ${age(now - since)} for ${text}`,
          since
        }))
    },
    "reconcile"
  ),
  warn(
    "residual",
    ({ assets, state }) =>
      totals(state.ledger).flatMap(({ amount, asset, place }) => {
        if (place !== "residual" || amount === 0n) return []
        const unexplained = Money.withSymbol(assets, asset, amount)
        return [{ subject: asset, text: `${unexplained} is unexplained: the venue's reports do not add up` }]
      }),
    "reconcile"
  ),
  warn("paused", ofStrategies(pauses(true)), "resume")
]

export const problemKinds: ReadonlyArray<string> = kinds.map(({ kind }) => kind)

export const problemsOf = (
  state: BotState,
  assets: Money.Assets,
  condition: BotCondition
): ReadonlyArray<ProblemView> => {
  const look = { ...condition, state, holds: holdsOnBot(state), assets }
  const rows = kinds.flatMap(({ cases, command, kind, severity }) =>
    cases(look).map((each): ProblemView => ({ severity, kind, since: null, command, resolve: null, ...each }))
  )
  return [...rows.filter(({ severity }) => severity === "alarm"), ...rows.filter(({ severity }) => severity === "warn")]
}

/** Returns the reasons that stop the whole bot, in words that reveal nothing about money. */
export const stopsIn = (state: BotState): ReadonlyArray<string> => [
  ...holdsOnBot(state).map(({ inShort }) => inShort),
  ...(state.venueDownSince === undefined ? [] : ["the venue has not answered"])
]

/** Returns the first problem of each kind, with the number of the others and the command. Each refused exit is its own group. */
export const groupsOf = (problems: ReadonlyArray<ProblemView>) => {
  const groupOf = ({ kind, subject }: ProblemView) => (kind === withoutExit ? `${kind} ${subject}` : kind)
  return [...Map.groupBy(problems, groupOf).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { command, severity, subject, text } = first
    const summary = others.length === 0 ? text : `${text} and ${others.length} more`
    return [{ severity, subject, text: command === null ? summary : `${summary} (${commandLineOf(command)})` }]
  })
}

export const linesOf = (problems: ReadonlyArray<ProblemView>): ReadonlyArray<Pick<ProblemView, "severity" | "text">> =>
  groupsOf(problems).map(({ severity, subject, text }) => ({ severity, text: `${subject}: ${text}` }))
