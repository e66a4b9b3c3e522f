/**
 * `limitbot reconcile`: journal, orders, history and balances side by side. What agrees is counted and what differs
 * is explained. A contradiction is shown with its evidence and ends the command with exit code 1.
 */
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Runtime from "effect/Runtime"
import type { SwapAccount } from "../../domain/SwapAccount.ts"
import { iso } from "../../domain/Text.ts"
import * as BalanceComparison from "../../engine/reconciliation/BalanceComparison.ts"
import * as HistorySync from "../../engine/reconciliation/HistorySync.ts"
import * as Reconciliation from "../../engine/reconciliation/Reconciliation.ts"
import * as Witnesses from "../../engine/reconciliation/Witnesses.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { readSwaps } from "../../journal/swapSteps.ts"
import * as Table from "../../report/text/Table.ts"
import { counted } from "../../report/text/Words.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import * as Progress from "../Progress.ts"
import * as PartnerMode from "../swap/PartnerMode.ts"

/** Money is not where the journal has it. The findings have been printed. */
class Contradictions extends Schema.TaggedError<Contradictions>()("Contradictions", { count: Schema.Int }) {
  override get message(): string {
    return `${counted(this.count, "contradiction")} found`
  }
  override readonly [Runtime.errorReported] = false
}

export const command = Command.make(
  "reconcile",
  {
    all: Flag.Boolean("all").pipe(Flag.withDescription("Show what agrees as well"), Flag.withDefault(false)),
    evidence: Flag.Boolean("evidence").pipe(
      Flag.withDescription("Show the evidence of every finding that is shown"),
      Flag.withDefault(false)
    ),
    acceptBalances: Flag.Boolean("accept-balances").pipe(
      Flag.withDescription("Note the balances as they are, whatever they were: you have moved money yourself"),
      Flag.withDefault(false)
    ),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ acceptBalances, all, config: file, evidence, json }) {
    const config = yield* ConfigFile.load(file)
    const signerId = yield* PartnerMode.signerOf(config)
    yield* Effect.gen(function* () {
      const { findings, missing, witnesses } = yield* gather(config, signerId, acceptBalances)
      const contradictions = findings.filter(({ verdict }) => verdict === "contradiction")
      if (json) yield* Console.log(JSON.stringify({ ...countsOf(findings), witnesses, missing, findings }, withNulls))
      else yield* Console.log(describe({ findings, missing, witnesses }, all, evidence).join("\n"))
      if (contradictions.length > 0) return yield* new Contradictions({ count: contradictions.length })
    }).pipe(
      Effect.provide([Journal.layer, PartnerMode.withHistory(config, signerId)]),
      Effect.provide(Sqlite.layer({ filename: config.journal }))
    )
  }, Effect.scoped)
).pipe(
  Command.withDescription("Compare the journal with the venue's orders, the history and the balances"),
  Command.withExamples([
    { command: "limitbot reconcile", description: "Exit code 1 when anything contradicts" },
    { command: "limitbot reconcile --all --evidence --json", description: "Everything, for a program" }
  ])
)

const gather = Effect.fnUntraced(function* (config: ConfigFile.BotConfig, account: string, acceptBalances: boolean) {
  const progress = yield* Progress.make("reconcile")
  const missing: Array<string> = []
  const told = yield* Witnesses.books
  progress.update(1, 4, "orders")
  const { found: venueOrders, unread: unreadOrders } = yield* Witnesses.venueOrders(told)
  progress.update(2, 4, "history")
  const hasHistory = config.venue.partnerJwt !== undefined
  if (hasHistory) yield* HistorySync.sync()
  else missing.push("history: venue.partnerJwt is not set")
  const history = hasHistory ? yield* Witnesses.history : undefined
  progress.update(3, 4, "balances")
  const balances = yield* balanceFindings(config, acceptBalances, missing)
  const compared = Reconciliation.compare({
    own: new Set([account, ...config.account.refundTo.values()]),
    orders: told.orders,
    swaps: told.swaps,
    venueOrders,
    unreadOrders,
    history: history?.lines,
    oddLines: history?.odd ?? []
  })
  const witnesses = ["orders", ...(hasHistory ? ["history"] : []), ...(balances.length > 0 ? ["private balances"] : [])]
  return { findings: [...compared, ...balances], missing, witnesses }
})

/** The places of money, each with the assets whose money is there. */
const homes = ({ account, markets }: ConfigFile.BotConfig) =>
  Map.groupBy(
    markets.assets.map(({ id, symbol }) => ({ symbol, home: account.depositTypes.get(id) ?? account.depositType })),
    ({ home }) => home
  )

/** Why the private balances say nothing about money elsewhere. */
const otherWitnesses = {
  INTENTS:
    "the service shows private ones only, and money of INTENTS is public; its witnesses are the orders and the history",
  ORIGIN_CHAIN:
    "money of ORIGIN_CHAIN is on other chains; its witnesses are the orders, the history and the chains' own explorers"
} as const

const isPrivate = (swap: SwapAccount): boolean =>
  [swap.agreed.depositType, swap.agreed.refundType, swap.agreed.recipientType].includes("CONFIDENTIAL_INTENTS")

/** The end user's balances need an invitation; without them the other witnesses still speak. */
const balanceFindings = Effect.fnUntraced(function* (
  config: ConfigFile.BotConfig,
  accept: boolean,
  missing: Array<string>
) {
  const assets = homes(config)
  for (const home of ["INTENTS", "ORIGIN_CHAIN"] as const) {
    const symbols = assets.get(home)?.map(({ symbol }) => symbol) ?? []
    const named = symbols.length === config.markets.assets.length ? "" : ` of ${symbols.join(", ")}`
    if (symbols.length > 0) missing.push(`balances${named}: ${otherWitnesses[home]}`)
  }
  const ownPrivate = new Set(assets.get("CONFIDENTIAL_INTENTS")?.map(({ symbol }) => symbol))
  if (ownPrivate.size === 0 && !(yield* readSwaps).some(isPrivate)) return []
  const now = yield* Witnesses.positions(config.markets, ownPrivate).pipe(
    Effect.catchTag("VenueError", (error) => Effect.succeed(error.message))
  )
  if (typeof now === "string") missing.push(`balances: ${now}`)
  if (now === undefined) missing.push("balances: the bot acted all the time; look again when it is quiet")
  if (typeof now === "string" || now === undefined) return []
  const before = accept ? undefined : yield* Witnesses.lastPositions
  const findings = BalanceComparison.compare(before, now)
  // A contradiction remains until somebody accepts it.
  if (findings.every(({ verdict }) => verdict !== "contradiction")) yield* Witnesses.savePositions(now)
  return findings
})

/** Programs find the same keys in every finding. */
const withNulls = (_key: string, value: unknown) => value ?? null

const verdicts = ["agrees", "explained", "contradiction"] as const

const countsOf = (findings: ReadonlyArray<Reconciliation.Comparison>) =>
  Object.fromEntries(
    verdicts.map((verdict) => [verdict, findings.filter((finding) => finding.verdict === verdict).length])
  )

interface Gathered {
  readonly findings: ReadonlyArray<Reconciliation.Comparison>
  readonly missing: ReadonlyArray<string>
  readonly witnesses: ReadonlyArray<string>
}

const describe = (
  { findings, missing, witnesses }: Gathered,
  all: boolean,
  withEvidence: boolean
): ReadonlyArray<string> => {
  const shown = findings.filter(({ verdict }) => all || verdict !== "agrees")
  const rows = shown.map(({ kind, subject, text, verdict }) => [verdict.toUpperCase(), kind, subject, text])
  const counts = countsOf(findings)
  return [
    ...(rows.length === 0
      ? []
      : Table.render(
          ["VERDICT", "WHAT", "SUBJECT", "WHY"].map((title) => ({ title })),
          rows
        )),
    ...(withEvidence ? shown.flatMap(evidenceLines) : contradictionsOf(shown).flatMap(evidenceLines)),
    `Compared with the journal: ${witnesses.join(", ")}.`,
    ...missing.map((what) => `Not compared: ${what}`),
    `${counts["agrees"]} agree, ${counts["explained"]} explained, ${counts["contradiction"]} contradict.`
  ]
}

const contradictionsOf = (findings: ReadonlyArray<Reconciliation.Comparison>) =>
  findings.filter(({ verdict }) => verdict === "contradiction")

const evidenceLines = ({ depositAddress, depositMemo, evidence, kind, subject }: Reconciliation.Comparison) => {
  const pairs = (values: Readonly<Record<string, string>> | undefined) =>
    Object.entries(values ?? {})
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")
  const memo = depositMemo === undefined ? "" : ` memo ${depositMemo}`
  const timeline = evidence.timeline.map(({ at, what }) => `${iso(at)} ${what}`)
  return [
    "",
    `${kind} ${subject}`,
    ...(depositAddress === undefined ? [] : [`  address      ${depositAddress}${memo}`]),
    `  ${kind === "balance" ? "now        " : "journal    "}  ${pairs(evidence.journal)}`,
    ...(evidence.venue === undefined
      ? []
      : [`  ${kind === "balance" ? "before   " : "venue    "}    ${pairs(evidence.venue)}`]),
    ...(evidence.history === undefined ? [] : [`  history      ${pairs(evidence.history)}`]),
    ...(evidence.hashes.length === 0 ? [] : [`  hashes       ${evidence.hashes.join(" ")}`]),
    ...(evidence.correlationIds.length === 0 ? [] : [`  correlation  ${evidence.correlationIds.join(" ")}`]),
    ...timeline.map((moment) => `    ${moment}`)
  ].map(Table.printable)
}
