/** `limitbot plan FILE…`: what a run of these files would do now, at what cost, and what is unsafe about it. Changes nothing. */
import { Clock, Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Runtime from "effect/Runtime"
import type { Market } from "../../domain/Market.ts"
import * as DepthWarnings from "../../engine/planning/DepthWarnings.ts"
import * as PlanAhead from "../../engine/planning/PlanAhead.ts"
import * as PlanFindings from "../../engine/planning/PlanFindings.ts"
import { type Moment, momentOf } from "../../engine/planning/Planning.ts"
import * as PlanReport from "../../engine/planning/PlanReport.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { version } from "../../version.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as StrategyFiles from "../files/StrategyFiles.ts"
import * as flags from "../flags.ts"
import * as Modes from "../Modes.ts"
import { Process } from "../Process.ts"
import * as KillFile from "../run/KillFile.ts"
import { Terminal } from "../Terminal.ts"
import * as PlanGround from "./PlanGround.ts"
import * as PlanText from "./PlanText.ts"

/** The plan has findings that nobody allowed; it has been printed with them. */
export class PlanRefused extends Schema.TaggedError<PlanRefused>()("PlanRefused", {
  names: Schema.Array(Schema.String),
  isPrinted: Schema.Boolean
}) {
  override get message(): string {
    return `The plan is refused: ${this.names.join(", ")}. Change the files, or allow each by name: ${this.names.map((name) => `--allow ${name}`).join(" ")}`
  }
  override readonly [Runtime.errorReported] = !this.isPrinted
}

export const command = Command.make(
  "plan",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("All strategy files that would run together (YAML)"),
      Argument.variadic({ min: 1 })
    ),
    config: flags.config,
    allow: Flag.Literals("allow", PlanFindings.findingNames).pipe(
      Flag.withDescription("Accept a finding of this name; may be repeated"),
      Flag.atLeast(0)
    ),
    json: flags.json
  },
  Effect.fn(function* ({ files, config: configFile, allow, json }) {
    const config = yield* ConfigFile.load(configFile)
    const strategies = yield* StrategyFiles.load(files, config.markets)
    const account = yield* Modes.accountOf(config)
    const plan = yield* Effect.provide(draft(config, account, strategies), Modes.looking(config, account))
    const refused = [...new Set(plan.findings.map(({ name }) => name))].filter((name) => !allow.includes(name))
    const assets = new Map(config.markets.assets.map((asset) => [asset.symbol, asset]))
    if (json) yield* Console.log(JSON.stringify(PlanText.json(plan, assets, refused)))
    else for (const line of PlanText.lines(plan, assets, refused, yield* styleHere)) yield* Console.log(line)
    if (refused.length > 0) return yield* new PlanRefused({ names: refused, isPrinted: json })
  })
).pipe(
  Command.withDescription("Show what a run would keep, cancel, create and defer now, with costs and dangers"),
  Command.withExamples([
    {
      command: "limitbot plan strategies/*.yaml --config config/limitbot.yaml",
      description: "Plan all strategies together"
    },
    { command: "limitbot plan strategies/grid.yaml --allow fee-floor", description: "Accept one finding by its name" }
  ])
)

/** In a pipe nothing is cut. */
const styleHere = Effect.gen(function* () {
  const { isInteractive, colours, columns } = yield* Terminal
  return { colours, columns: isInteractive ? columns() : Number.POSITIVE_INFINITY }
})

export interface Plan {
  readonly at: number
  readonly journal: string
  readonly hasJournal: boolean
  readonly killed: string | undefined
  readonly strategies: ReadonlyArray<Strategy>
  readonly prices: ReadonlyMap<Market["name"], Moment["price"]>
  readonly fees: PlanReport.Fees
  readonly isBalanceKnown: boolean
  readonly changes: ReadonlyArray<PlanReport.PlannedChange>
  readonly absent: ReturnType<typeof PlanReport.absentOf>
  readonly locked: ReadonlyArray<PlanReport.Locked>
  readonly findings: ReadonlyArray<PlanFindings.Finding>
  /** What nobody needs to allow, and should know. */
  readonly warnings: ReadonlyArray<DepthWarnings.Warning>
}

const draft = Effect.fnUntraced(function* (
  config: ConfigFile.BotConfig,
  account: Modes.Account,
  strategies: ReadonlyArray<Strategy>
) {
  const { assets } = config.markets
  const { state, hasJournal, candles } = yield* PlanGround.remember(config.journal, strategies)
  const killed = yield* Effect.flatten(KillFile.watch(config.journal))
  const books = yield* PlanGround.books(strategies)
  const prices = pricesIn(books)
  const [fees, balances, usd] = yield* Effect.all(
    [PlanGround.fees(assets), PlanGround.balances(assets, account), PlanGround.usdValues(assets)],
    { concurrency: 3 }
  )
  const { pid } = yield* Process
  const at = yield* Clock.currentTimeMillis
  // Whatever mode the journal is of: a plan writes nothing into it.
  const run = { pid, version, mode: state.run?.mode ?? "live", account: account.signerId, venue: config.venue.url }
  const planned = yield* PlanAhead.planAhead({
    run,
    strategies,
    state,
    moments: momentsOf(strategies, books, candles, at),
    now: at,
    withdraw: killed === undefined ? undefined : { code: "kill-switch", text: killed }
  })
  const changes = PlanReport.changesOf(strategies, planned, fees)
  const locked = PlanReport.lockedOf(strategies, planned, changes)
  const { minOrderUsd } = config.venue
  const exposure = config.limits?.exposure ?? new Map<string, bigint>()
  const ground = { strategies, planned, changes, fees, balances, usd, minOrderUsd, locked, exposure }
  return {
    at,
    journal: config.journal,
    hasJournal,
    killed,
    strategies,
    prices,
    fees,
    isBalanceKnown: balances !== undefined,
    changes,
    absent: PlanReport.absentOf(planned),
    locked,
    findings: PlanFindings.findingsOf(ground),
    warnings: DepthWarnings.warningsOf(changes, books)
  } satisfies Plan
})

type Books = Effect.Success<ReturnType<typeof PlanGround.books>>

const pricesIn = (books: Books): Plan["prices"] =>
  new Map([...books].flatMap(([name, { price }]) => (price === undefined ? [] : [[name, price] as const])))

const momentsOf = (
  strategies: ReadonlyArray<Strategy>,
  books: Books,
  candles: PlanGround.Remembered["candles"],
  now: number
): ReadonlyMap<string, Moment> => {
  const prices = pricesIn(books)
  return new Map(
    strategies.flatMap((strategy) => {
      const depth = books.get(strategy.market.name)?.depth
      const moment = momentOf(strategy, prices, candles.get(strategy.name), now, depth)
      return moment === undefined ? [] : [[strategy.name, moment] as const]
    })
  )
}
