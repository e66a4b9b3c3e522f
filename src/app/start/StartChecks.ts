/**
 * Checks everything that a start needs, and changes nothing. `check` and `first-order` ask every row. `plan`, the page, `run` and accounts
 * of a fleet ask the rows that can stop a start, and fail with the first finding that does.
 */
import { statSync } from "node:fs"
import { Array as Arr, Duration, Effect, Result } from "effect"
import type { Asset } from "../../domain/Amount.ts"
import * as Drift from "../../domain/Drift.ts"
import { chargedLine, chargedRow } from "../../domain/EchoedFee.ts"
import * as StartUp from "../../engine/StartUp.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { standing } from "../../journal/schema/migrations.ts"
import * as Layers from "../../Layers.ts"
import * as Quotes from "../../orderbook/Quotes.ts"
import * as KillFile from "../../process/KillFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import * as AccountKey from "../../signing/AccountKey.ts"
import { publicKeyOf } from "../../signing/Signer.ts"
import { FundingHold, IncidentFeed, type Token, Venue } from "../../venue/Venue.ts"
import { ownAccount, type VenueAccount } from "../../venue/VenueConfig.ts"
import { noPriceCode, quoteRefusedCode, type VenueError } from "../../venue/VenueError.ts"
import { isThere } from "../journal/JournalView.ts"
import * as FileChecks from "./FileChecks.ts"
import { type CheckFinding, ok, StartRefused, stops, warn, wrong } from "./FileChecks.ts"

export interface StartGround {
  readonly config: BotConfig
  readonly account?: VenueAccount
  /** Absent if there is no journal yet, or it cannot be read. */
  readonly state?: BotState
  /** Under the kill switch a bot has to start, because no other process cancels its orders. */
  readonly isKilled?: boolean
}

interface VenueGround extends StartGround {
  readonly listed: Result.Result<ReadonlyArray<Token>, VenueError>
  readonly tookMillis: number
  readonly skewMillis: number | undefined
}

type Findings = ReadonlyArray<CheckFinding>

const keyFinding = <E extends { readonly message: string }, R>(found: Effect.Effect<CheckFinding, E, R>) =>
  Effect.catch(found, ({ message }) =>
    Effect.succeed(wrong("key", message, "put the key of the account into its file"))
  )

const key = ({ account, config: { account: own } }: StartGround) => {
  const { signing } = own
  const signerId = account === undefined ? Layers.signerOf(own) : Effect.succeed(account.signerId)
  if ("signer" in signing) {
    const { socket } = signing.signer
    return statSync(socket, { throwIfNoEntry: false })?.isSocket() === true
      ? keyFinding(Effect.as(signerId, ok("key", `in the signer process at ${socket}`)))
      : Effect.succeed(wrong("key", `no signer process listens at ${socket}`, "start it: limitbot signer"))
  }
  return keyFinding(
    Effect.gen(function* () {
      const text = `signs for ${yield* signerId} with ${yield* publicKeyOf(signing.key)}`
      return AccountKey.keyOf(yield* signerId) === undefined
        ? warn(
            "key",
            `${text}; only the verifier knows the keys of a named account`,
            "limitbot money --at-venue: its login fails with the key of another account"
          )
        : ok("key", text)
    })
  )
}

const contents = (journal: string, folded: Result.Result<BotState, { readonly message: string }>): Findings => {
  if (Result.isFailure(folded))
    return [stops("journal", folded.failure.message, "keep the file; restore a backup or start with another")]
  const { doubts, drift, echoedFees, sequence } = folded.success
  const changes = drift.map(Drift.sentenceOf).join("; ")
  return [
    ok("journal", `${journal}: ${sequence} events, all consistent`),
    ...[...echoedFees.values()].map((fee) => ({ ...ok("fees", chargedLine(fee)), charged: chargedRow(fee) })),
    ...[...doubts].map(([market, { reason }]) =>
      warn("prices", `${market}: ${reason}`, "the bot waits; limitbot book shows the current quotes")
    ),
    ...(changes === "" ? [] : [warn("service", `at the last comparison, ${changes}`, "limitbot check --service")])
  ]
}

const owner = ({ account, config, state }: StartGround): Findings => {
  if (state === undefined) return []
  const run = { venue: config.venue.url, assets: Layers.idsBySymbol(config.markets) }
  const conflict = StartUp.contradictionOf(state, account === undefined ? run : { ...run, account: account.signerId })
  return conflict === undefined
    ? []
    : [stops("owner", conflict.message, "make the configuration fit the journal", conflict)]
}

const use = Effect.fnUntraced(function* (journal: string) {
  const holder = yield* Lease.holder(journal)
  const dashboard = yield* RunningBot.addressOf(journal)
  const killed = yield* Effect.flatten(KillFile.watch(journal))
  const page = dashboard === undefined ? "" : `, dashboard ${dashboard}`
  return [
    ok("process", holder === undefined ? "no bot runs on this journal" : `process ${holder.pid} runs it${page}`),
    ...(killed === undefined ? [] : [warn("kill switch", `it is on: ${killed}`, "limitbot kill --off")])
  ]
})

export const tables = (journal: string) =>
  standing.pipe(
    Effect.provide(Sqlite.layer({ filename: journal, readOnly: true })),
    Effect.map(({ isNewer, pending }): Findings => {
      const changes = `the next start changes the journal's tables (${pending.join(", ")}); older versions may not read it after that`
      if (isNewer)
        return [
          stops("tables", "a newer version of limitbot made the journal's tables", "use that version, or a backup")
        ]
      return pending.length === 0 ? [] : [warn("tables", changes, "limitbot journal backup FILE first")]
    })
  )

/** A bot waits for a silent or faulty address. If anything else answers there, its journal must already belong to the address. */
const answer = ({ config: { venue }, listed, state, tookMillis }: VenueGround): CheckFinding => {
  const { url } = venue
  if (Result.isSuccess(listed)) return ok("venue", `${url} answers with 200 in ${tookMillis} ms`)
  const { message, reason } = listed.failure
  const { _tag, status } = reason
  if (status === undefined) return wrong("venue", `${url} does not answer`, "check venue.url, the network, a proxy")
  if (status === 429) return warn("venue", `${url} limits our requests`, "stop other programs that use this key")
  if (_tag === "RetryLater")
    return warn("venue", `${url} answers with ${status}`, "the service has a fault; the bot waits and tries again")
  const text = `${url} answers with ${status}, not like a venue`
  const fix = "check venue.url: it is another web server"
  return state !== undefined && StartUp.isBound(state)
    ? wrong("venue", text, fix)
    : stops("venue", text, fix, new StartRefused({ text: `${text}: ${message}`, fix }))
}

/** A larger error should be fixed long before the venue refuses deadlines (`mostSkewMillis`). */
const maxSkewMillis = 5_000
/** A header gives the time of the venue in whole seconds only. */
const headerMillis = 1_000

const clock = ({ skewMillis }: VenueGround): Findings => {
  if (skewMillis === undefined) return []
  const seconds = Math.round(Math.abs(skewMillis) / 1_000)
  const text =
    Math.abs(skewMillis) <= headerMillis
      ? "as the venue's, to the second"
      : `about ${seconds} s ${skewMillis < 0 ? "behind" : "ahead of"} the venue's`
  const isRight = Math.abs(skewMillis) <= maxSkewMillis
  return [isRight ? ok("clock", text) : wrong("clock", text, "set the clock: switch on NTP")]
}

const decimals = ({ config: { markets }, isKilled, listed }: VenueGround): Findings =>
  Result.getOrElse(listed, () => []).flatMap((token) => {
    const asset = markets.assets.find(({ id }) => id === token.assetId)
    if (asset === undefined || asset.decimals === token.decimals) return []
    const name = `assets.${asset.symbol}`
    const text = `${name} has ${asset.decimals} decimals; the venue lists ${token.decimals}`
    const fix = `Correct ${name}.decimals`
    const mismatch = `Asset ${asset.symbol} is configured with ${asset.decimals} decimals, but the venue lists ${token.decimals}`
    return [
      isKilled ? wrong("assets", text, fix) : stops("assets", text, fix, new StartRefused({ text: mismatch, fix }))
    ]
  })

const quoted = Effect.fnUntraced(function* (asset: Asset, other: Asset, tokens: ReadonlyArray<Token>) {
  const { id, symbol } = asset
  const isUnlisted = tokens.length > 0 && tokens.every(({ assetId }) => assetId !== id)
  return yield* Quotes.verify(asset, other).pipe(
    Effect.timeout("10 seconds"),
    Effect.as([]),
    Effect.catchTag("WrongDecimals", ({ message }) =>
      Effect.succeed([wrong("assets", message, `correct assets.${symbol}.decimals`)])
    ),
    Effect.catchReason("VenueError", "Rejected", ({ code, message }) => {
      const idFix = `check assets.${symbol}.id: limitbot init lists the venue's tokens`
      const fix = code === noPriceCode && !isUnlisted ? "the bot waits for a price" : idFix
      return Effect.succeed([
        code === quoteRefusedCode
          ? wrong("prices", message, "check venue.quoteKey and venue.url; the bot uses no such price")
          : (isUnlisted ? wrong : warn)("assets", `assets.${symbol}, ${id}: ${message}`, fix)
      ])
    }),
    Effect.orElseSucceed(() => [])
  )
})

const quotes = Effect.fnUntraced(function* ({ account, config: { markets, venue }, listed }: VenueGround) {
  const [first, second] = markets.assets
  const isSilent = Result.isFailure(listed) && listed.failure.reason.status === undefined
  if (first === undefined || second === undefined || account === undefined || isSilent) return []
  const tokens = Result.getOrElse(listed, () => [])
  const fits = markets.assets.filter(({ decimals, id }) =>
    tokens.every((token) => token.assetId !== id || token.decimals === decimals)
  )
  const quoteChecks = Effect.forEach(fits, (asset) => quoted(asset, asset === first ? second : first, tokens), {
    concurrency: 4
  })
  const problems = Arr.dedupeWith((yield* quoteChecks).flat(), (a, b) => a.text === b.text)
  if (problems.some(({ check }) => check === "prices")) return problems
  const prices =
    venue.quoteKey === undefined
      ? warn("prices", "unsigned: anyone between the bot and the venue can change them", "set venue.quoteKey")
      : ok("prices", "signed: every quote bears the signature of venue.quoteKey")
  return [...problems, prices]
})

/** Asks the feed itself, because a bot may not have read it yet. */
const incidents = Effect.fnUntraced(function* ({ incidents: feed }: BotConfig["venue"]) {
  if (feed === undefined) return []
  yield* Effect.flatMap(FundingHold, (hold) => hold([]))
  const answer = yield* Effect.flatten(IncidentFeed)
  if (answer === undefined) return [warn("incidents", `${feed.url} cannot be read`, "check venue.incidents.url")]
  if (answer.is === undefined) return [ok("incidents", "none in the configured assets")]
  return [warn("incidents", `the feed is ${answer.is}`, answer.namesIncident ? "wait for its end" : "renew its token")]
})

const readVenue = Effect.fnUntraced(function* (ground: StartGround) {
  const { clockSkewMillis, tokens } = yield* Venue
  const [took, listed] = yield* Effect.timed(Effect.result(tokens))
  const tookMillis = Math.round(Duration.toMillis(took))
  return { ...ground, listed, tookMillis, skewMillis: yield* clockSkewMillis } satisfies VenueGround
})

export const all = Effect.fn("StartChecks.all")(function* (config: BotConfig) {
  const { journal } = config
  const hasJournal = yield* isThere(journal)
  const folded = yield* Bookkeeper.replay.pipe(Effect.provide(Layers.readOnlyJournal(journal)), Effect.result)
  const account = yield* Effect.option(Layers.accountOf(config))
  const ground: StartGround = {
    config,
    ...(account._tag === "Some" && { account: account.value }),
    ...(hasJournal && Result.isSuccess(folded) && { state: folded.success })
  }
  const atVenue = Layers.lookingUnsigned(config, ground.account ?? ownAccount("nobody", "INTENTS"))
  const venue = yield* Effect.gen(function* () {
    const venueGround = yield* readVenue(ground)
    return [
      answer(venueGround),
      ...clock(venueGround),
      ...decimals(venueGround),
      ...(yield* Effect.provide(incidents(config.venue), Layers.incidents(config))),
      ...(yield* quotes(venueGround))
    ]
  }).pipe(Effect.provide(atVenue))
  return [
    ...FileChecks.look(config),
    yield* key(ground),
    ...(hasJournal
      ? contents(journal, folded)
      : [ok("journal", `${journal}: does not exist yet, the first start creates it`)]),
    ...owner(ground),
    ...(hasJournal ? yield* Effect.orElseSucceed(tables(journal), () => []) : []),
    ...(yield* use(journal)),
    ...venue
  ] satisfies Findings
})

/** Fails with the first finding that stops a start. */
export const stop = (findings: Findings) => {
  const refusal = findings.find((each) => each.refusal !== undefined)?.refusal
  return refusal === undefined ? Effect.void : Effect.fail(refusal)
}

/** A start waits no longer for the list of tokens, because its orders need it more. */
const startPatience = "3 seconds"

/** Fails with the first finding that stops a start. Returns true if the venue answered. The caller has checked the files and opened the journal. */
export const pass = Effect.fn("StartChecks.pass")(function* (ground: StartGround) {
  yield* stop(owner(ground))
  const venueAnswer = yield* Effect.timeoutOption(readVenue(ground), startPatience)
  if (venueAnswer._tag === "None") return false
  yield* stop([answer(venueAnswer.value), ...decimals(venueAnswer.value)])
  return Result.isSuccess(venueAnswer.value.listed)
})
