/**
 * A safe first order at a venue. The command checks the needs of an order, shows the smallest order far from the market with its fees, and
 * moves nothing until a person types a word. Then it places the order, reads it back, cancels it, and follows it until its money is back.
 * It prints the cost and all unexpected results, and writes them to a file without secrets.
 */
import { basename, dirname, extname, join } from "node:path"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, FileSystem, Option, Schema, Stream } from "effect"
import { Prompt } from "effect/cli"
import { type Asset, bySymbol, formatWithSymbol } from "../../domain/Amount.ts"
import { inputAsset } from "../../domain/Market.ts"
import { feesToOthers, type Order } from "../../domain/Order.ts"
import { firstOrder } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import { EngineSettings } from "../../engine/EngineSettings.ts"
import * as StartUp from "../../engine/StartUp.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as TlsCheck from "../../files/TlsCheck.ts"
import { Journal } from "../../journal/Journal.ts"
import * as WholeFile from "../../journal/WholeFile.ts"
import * as Layers from "../../Layers.ts"
import * as Evidence from "../../ledger/Evidence.ts"
import * as KillFile from "../../process/KillFile.ts"
import { boot, Process } from "../../process/Process.ts"
import { ask, Terminal } from "../../process/Terminal.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import { sourcesCode, version } from "../../version.ts"
import * as Doctor from "../control/Doctor.ts"
import { decisionCode } from "../DecisionCode.ts"
import * as Checks from "./Checks.ts"
import * as Course from "./Course.ts"
import * as Report from "./Report.ts"
import * as Terms from "./Terms.ts"

export const theWord = "place"

export class NotPaid extends Schema.TaggedError<NotPaid>()("NotPaid", { why: Schema.String }) {
  override get message(): string {
    return `The first order was not paid, and nothing moved: ${this.why}. If the venue needs a larger one: --usd`
  }
}

export class Contradicted extends Schema.TaggedError<Contradicted>()("Contradicted", {
  placement: Schema.String,
  what: Schema.String
}) {
  override get message(): string {
    return `First order ${this.placement}: ${this.what}. No other one is paid until you resolve it (limitbot resolve ${this.placement})`
  }
}

const goesOn = (placement: string): string => `Continues with the first order ${placement}.`

/** Checked before any request to the venue: a person must be there to agree. */
const someoneCanType = Effect.fnUntraced(function* (json: boolean) {
  const terminal = yield* Terminal
  if (!json && terminal.isInteractive) return
  return yield* new WrongUsage({
    message: `Not interactive: add --confirm ${theWord} to agree, or --dry for the checks only`
  })
})

/** Without a person to ask, a refund must cost at most one part in this many of the order. */
const maxUnasked = 20n

const typed = ask(Prompt.String({ message: `Type "${theWord}" to pay and continue, anything else to stop` })).pipe(
  Effect.catchTag("QuitError", () => Effect.succeed(""))
)

const agree = ({ json, word }: Pick<Carried, "json" | "word">, assets: ReadonlyMap<string, Asset>) =>
  Effect.fnUntraced(function* (order: Order) {
    const { estimatedRefundFee = 0n, estimatedWithdrawFee = 0n, inputAmount } = order
    const amountOf = (amount: bigint, id: string) => {
      const asset = [...assets.values()].find((each) => each.id === id)
      return asset === undefined ? String(amount) : formatWithSymbol(amount, asset)
    }
    const refund = amountOf(estimatedRefundFee, order.originAsset)
    const payout = amountOf(estimatedWithdrawFee, order.destinationAsset)
    if (!json) {
      yield* Console.log(
        `The order is created, and nothing is paid yet. Its costs by the venue:\n  ${refund} for the refund\n  ${payout} for a payout and ${order.appFeeBasisPoints} basis points, if it fills`
      )
    }
    if (word === undefined) return (yield* typed) === theWord ? undefined : "the word was not typed"
    return estimatedRefundFee * maxUnasked > inputAmount
      ? `its refund costs ${refund}, which is high for this order: confirm it at a terminal, without --confirm`
      : undefined
  })

const reportFile = (journal: string, placement: string): string =>
  join(dirname(journal), `${basename(journal, extname(journal))}.first-order-${placement}.json`)

interface Begun {
  readonly placement: string
  readonly isOpen: boolean
}

const lastOf = Effect.fnUntraced(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if (!(yield* fileSystem.exists(journal))) return undefined
  const orderEvents = yield* Journal.use(({ events }) =>
    Stream.runCollect(events({ strategy: firstOrder, tags: ["Planned", "FundingSigned", "Abandoned"] }))
  ).pipe(Effect.provide(Layers.readOnlyJournal(journal)))
  const last = orderEvents.at(-1)?.event
  if (last === undefined || !("placement" in last)) return undefined
  const { placement } = last
  const isTold = yield* fileSystem.exists(reportFile(journal, placement))
  return isTold ? undefined : ({ placement, isOpen: last._tag === "Planned" } satisfies Begun)
})

interface Carried {
  readonly config: ConfigFile.BotConfig
  readonly account: VenueAccount
  readonly json: boolean
  readonly word: string | undefined
  readonly asked: string | Terms.SmallestOrder
  readonly before?: bigint
}

const carryOut = Effect.fnUntraced(function* ({ account, asked, before, config, json, word }: Carried) {
  yield* TlsCheck.verified
  const { pid } = yield* Process
  const { journal, venue } = config
  const terminal = yield* Effect.context<Prompt.Environment>()
  yield* Effect.gen(function* () {
    const { state } = yield* Bookkeeper
    const other = yield* Course.underWay(state)
    const run = {
      pid,
      ...present({ boot: yield* boot }),
      version,
      sources: sourcesCode(),
      decisionCode: decisionCode(),
      mode: "live"
    }
    yield* StartUp.record({ ...run, account: account.signerId, venue: venue.url }, [])
    const placement = typeof asked === "string" ? asked : (other ?? (yield* Course.begin(asked)))
    const assets = bySymbol(config.markets.assets)
    if (other !== undefined && typeof asked !== "string" && !json) yield* Console.log(goesOn(other))
    const tell = Effect.fnUntraced(function* (told: string, own: Pick<Carried, "before"> & { readonly read?: Order }) {
      const facts = yield* factsOf({ account, config, placement: told, ...own })
      const report = Report.make(facts)
      const file = reportFile(journal, told)
      yield* WholeFile.writeAtomically(file, Report.fileText(report, facts))
      if (json) yield* Console.log(JSON.stringify({ ...report, file }))
      else yield* Console.log(`\n${Report.lines(report).join("\n")}\n  report       ${file} (no secrets in it)`)
      return report
    })
    // Reports contradicted earlier orders anew, because their reports are wrong now, whatever the result of this order.
    const correct = (except?: string) =>
      Effect.forEach(
        Course.contradicted(state).filter((each) => each.placement !== except),
        (each) => tell(each.placement, {})
      )
    const finalOrder = yield* Course.toTheEnd({
      placement,
      markets: Layers.marketsByName(config.markets),
      assets,
      disagrees: Effect.fnUntraced(function* (order) {
        const changed = yield* Checks.changeOf(config, account, order.id)
        if (changed !== undefined) return changed
        return yield* agree({ json, word }, assets)(order).pipe(Effect.provideContext(terminal))
      }),
      killSwitch: yield* KillFile.watch(journal),
      isQuiet: json
    }).pipe(Effect.tapError(() => Effect.ignore(correct())))
    yield* correct(placement)
    const report = yield* tell(placement, present({ before, read: finalOrder }))
    const [contradicted] = Course.contradicted(state)
    if (contradicted !== undefined) return yield* new Contradicted(contradicted)
    if (report.outcome !== "settled") return yield* new NotPaid({ why: report.why ?? report.outcome })
  }).pipe(Effect.scoped, Effect.provide(Layers.live(config, account, pid)))
})

const factsOf = Effect.fnUntraced(function* ({
  account,
  before,
  config,
  placement,
  read
}: Pick<Carried, "account" | "config"> & {
  readonly placement: string
  readonly before?: bigint
  readonly read?: Order
}) {
  const fold = Evidence.make(placement)
  const events = yield* Journal.use((journal) => Stream.runCollect(journal.events({ strategy: firstOrder })))
  for (const event of events) fold.see(event)
  const moments = fold.result().flatMap((history) => (history.placement === placement ? history.moments : []))
  const planned = moments.map(({ event }) => event).find((event) => event._tag === "Planned")
  const bound = moments.map(({ event }) => event).findLast((event) => event._tag === "Bound")
  const market = Layers.marketsByName(config.markets).get(planned?.market ?? "")
  if (planned === undefined || market === undefined) {
    return yield* new Terms.NoFirstOrder({ why: `the market of ${placement} is no longer configured` })
  }
  const venue = yield* Venue
  const now = bound === undefined ? undefined : yield* Effect.option(venue.getOrder(bound.orderId))
  const venueOrder = read ?? (now === undefined ? undefined : Option.getOrUndefined(now)?.value)
  const input = inputAsset(market, planned.side)
  const after =
    before === undefined ? undefined : Option.getOrUndefined(yield* Effect.option(Checks.balanceOf(config, input)))
  const settings = yield* EngineSettings
  const { terms } = config.account
  return {
    moments,
    market,
    echoedBasisPoints: settings.account.echoedBasisPoints?.(market, terms) ?? feesToOthers(terms),
    settlementBasisPoints: config.venue.facts.fees.settlement,
    shown: venueOrder,
    moved: before === undefined || after === undefined ? undefined : after - before,
    venue: { url: config.venue.url, profile: config.venue.profile },
    account: account.signerId
  } satisfies Report.OrderFacts
})

interface Asked {
  readonly market: Option.Option<string>
  readonly usd: Option.Option<number>
  readonly confirm: Option.Option<string>
  readonly dry: boolean
  readonly config: string
  readonly json: boolean
}

export const place = Effect.fn("FirstOrder.place")(function* ({
  config: file,
  confirm,
  dry,
  json,
  market,
  usd
}: Asked) {
  const word = Option.getOrUndefined(confirm)
  if (word !== undefined && word !== theWord) {
    return yield* new WrongUsage({ message: `--confirm: the word is "${theWord}"` })
  }
  const config = yield* ConfigFile.load(file)
  const account = yield* Layers.accountOf(config)
  const earlierOrder = yield* lastOf(config.journal)
  if (!dry && word === undefined && earlierOrder?.isOpen !== false) yield* someoneCanType(json)
  const ways = { config, account, json, word }
  if (earlierOrder !== undefined && !dry) {
    if (!json) yield* Console.log(goesOn(earlierOrder.placement))
    return yield* carryOut({ ...ways, asked: earlierOrder.placement })
  }
  const checks = yield* Checks.all(file, config, account)
  if (!json) for (const finding of checks.findings) yield* Console.log(Doctor.asText(finding))
  yield* Checks.passed(checks.findings)
  const options = { market: Option.getOrUndefined(market), usd: Option.getOrUndefined(usd), balances: checks.balances }
  const chosen = yield* Terms.choose(config, options).pipe(Effect.provide(Layers.looking(config, account)))
  if (!json) {
    const basisPoints = Terms.scheduledBasisPoints(config, chosen.terms)
    yield* Console.log(`\n${Terms.lines(chosen.terms, basisPoints, chosen.price).join("\n")}\n`)
  }
  if (dry) return
  yield* carryOut({ ...ways, asked: chosen.terms, ...present({ before: chosen.available }) })
}, Effect.provide(NodeHttpClient.layerUndici))
