/**
 * Looks at everything that a bot needs, one thing at a time; each finding says what is so and what to do. Changes
 * nothing, and can run beside a bot.
 */

import { accessSync, constants, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Array as Arr, Clock, DateTime, Effect, Option } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { Asset } from "../../domain/Amount.ts"
import * as Drift from "../../domain/Drift.ts"
import { counted } from "../../domain/Words.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { standing } from "../../journal/schema/migrations.ts"
import * as Layers from "../../Layers.ts"
import * as Quotes from "../../orderbook/Quotes.ts"
import { chargedLine, chargedRow } from "../../report/text/LearnedFee.ts"
import * as AccountKey from "../../signing/AccountKey.ts"
import { publicKeyOf } from "../../signing/Signer.ts"
import * as LoginSalt from "../../venue/http/LoginSalt.ts"
import { type Token, Venue } from "../../venue/Venue.ts"
import { quoteRefusedCode } from "../../venue/VenueError.ts"
import { type CommandAnswer, PrintedFailure } from "../process/Answer.ts"
import * as KillFile from "../process/KillFile.ts"
import * as RunningBot from "../process/RunningBot.ts"

export interface CheckFinding {
  readonly check: string
  readonly verdict: "ok" | "warn" | "wrong"
  readonly text: string
  readonly fix?: string
  /** What the answers to orders said of one fee. */
  readonly charged?: ReturnType<typeof chargedRow>
}

export const ok = (check: string, text: string): CheckFinding => ({ check, verdict: "ok", text })

export const warn = (check: string, text: string, fix: string): CheckFinding => ({ check, verdict: "warn", text, fix })

export const wrong = (check: string, text: string, fix: string): CheckFinding => ({
  check,
  verdict: "wrong",
  text,
  fix
})

const marks = { ok: "ok   ", warn: "warn ", wrong: "WRONG" } as const

/** One finding for people; what to do stands below it. */
export const asText = ({ check, fix, text, verdict }: CheckFinding): string =>
  `${marks[verdict]}  ${check}: ${text}${fix === undefined ? "" : `\n       → ${fix}`}`

/** The venue's clock is known by a header of whole seconds, and no better. */
const headerMillis = 1_000

const skewText = (skew: number): string =>
  Math.abs(skew) <= headerMillis
    ? "as the venue's, to the second"
    : `about ${Math.round(Math.abs(skew) / headerMillis)} s ${skew < 0 ? "behind" : "ahead of"} the venue's`
/** Fails when something must be fixed. */
export const answerOf = (findings: ReadonlyArray<CheckFinding>) => {
  const count = findings.filter(({ verdict }) => verdict === "wrong").length
  return {
    data: () => ({ ok: count === 0, findings }),
    lines: () => findings.map(asText),
    exit: count === 0 ? undefined : new PrintedFailure({ message: `${count} to be mended` })
  } satisfies CommandAnswer
}

/** The facts of the service, one line each, in the words of `venue.facts`. */
export const profileOf = Effect.fn("Doctor.profileOf")(function* (config: string) {
  const { facts, profile } = (yield* ConfigFile.loadSettings(config)).venue
  const all = [["profile", profile] as const, ...factLines("", facts)]
  const width = Math.max(...all.map(([name]) => name.length))
  return {
    data: () => ({ profile, facts }),
    lines: () => all.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  } satisfies CommandAnswer
})

const factLines = (name: string, value: unknown): ReadonlyArray<readonly [string, string]> => {
  if (typeof value !== "object" || value === null) return [[name, String(value)]]
  if (Array.isArray(value)) return [[name, value.join(", ") || "none"]]
  const parts = Object.entries(value)
  if (parts.length === 0) return [[name, "none known"]]
  return parts.flatMap(([key, part]) => factLines(name === "" ? key : `${name}.${key}`, part))
}

/** If the clock is further off, the venue refuses deadlines. */
const mostSkewMillis = 5_000

const leastFreeBytes = 500_000_000

const patience = "10 seconds"

const disk = (journal: string) =>
  Effect.try({
    try: () => {
      const { bavail, bsize } = statfsSync(dirname(journal))
      accessSync(dirname(journal), constants.W_OK)
      const free = bavail * bsize
      const text = `${Math.floor(free / 1e6)} MB free where the journal is`
      return free < leastFreeBytes
        ? wrong("disk", text, "free some space: a bot that cannot write its journal stops")
        : ok("disk", text)
    },
    catch: (cause) => String(cause)
  }).pipe(
    Effect.catch((cause) =>
      Effect.succeed(
        wrong("disk", `${dirname(journal)}: ${cause}`, "create the folder of the journal, for the bot's user")
      )
    )
  )

const journalFindings = Effect.fnUntraced(function* (journal: string) {
  const exists = yield* Effect.sync(() => statSync(journal, { throwIfNoEntry: false }) !== undefined)
  if (!exists) return [ok("journal", `${journal}: there is none yet, the first start makes it`)]
  const holder = yield* Lease.holder(journal)
  const dashboard = yield* RunningBot.addressOf(journal)
  const folded = yield* Bookkeeper.replay.pipe(
    Effect.provide(Layers.readOnlyJournal(journal)),
    Effect.map(({ doubts, drift, echoedFees, sequence }) => [
      ok("journal", `${journal}: ${sequence} events, every one fits`),
      ...[...echoedFees.values()].map((fee) => ({ ...ok("fees", chargedLine(fee)), charged: chargedRow(fee) })),
      ...[...doubts].map(([market, { reason }]) =>
        warn("prices", `${market}: ${reason}`, "the bot waits; limitbot book shows what the venue quotes now")
      ),
      ...(drift.length === 0
        ? []
        : [warn("service", `when a bot last looked, ${drift.map(Drift.sentenceOf).join("; ")}`, "limitbot canary")])
    ]),
    Effect.catch((error) =>
      Effect.succeed([wrong("journal", error.message, "keep the file; restore a backup or start with another")])
    )
  )
  // A file that is no journal has been named above.
  const tables = yield* Effect.orElseSucceed(tablesOf(journal), () => [])
  const running =
    holder === undefined
      ? ok("process", "no bot runs on this journal")
      : ok("process", `process ${holder.pid} runs it${dashboard === undefined ? "" : `, dashboard ${dashboard}`}`)
  const why = yield* Effect.flatten(KillFile.watch(journal))
  const kill = why === undefined ? [] : [warn("kill switch", `it is on: ${why}`, "limitbot release")]
  return [...folded, ...tables, running, ...kill]
})

/** What a person wants to know before another version of this program opens the journal. */
export const tablesOf = (journal: string) =>
  standing.pipe(Effect.provide(Sqlite.layer({ filename: journal, readOnly: true })), Effect.map(tablesFindings))

const tablesFindings = ({ isNewer, pending }: Effect.Success<typeof standing>) =>
  isNewer
    ? [
        wrong(
          "tables",
          "a newer version of limitbot made the journal's tables",
          "go on with that one, or with a backup"
        )
      ]
    : pending.length === 0
      ? []
      : [
          warn(
            "tables",
            `the next start changes the journal's tables (${pending.join(", ")}); an older version need not read it then`,
            "limitbot journal backup FILE first"
          )
        ]

const venueFindings = Effect.fnUntraced(function* (url: string) {
  const client = yield* HttpClient.HttpClient
  const sentAt = yield* Clock.currentTimeMillis
  const answer = yield* client
    .execute(HttpClientRequest.get(`${url}/v0/tokens`))
    .pipe(Effect.timeout(patience), Effect.option)
  if (Option.isNone(answer)) return [wrong("venue", `${url} does not answer`, "check venue.url, the network, a proxy")]
  const { headers, status } = answer.value
  const isList = status !== 200 || Array.isArray(yield* Effect.orElseSucceed(answer.value.json, () => undefined))
  if (!isList || (status >= 300 && status < 500 && ![401, 403, 429].includes(status)))
    return [
      wrong(
        "venue",
        `${url} answers with ${status}, and not as a venue does`,
        "check venue.url: it is another web server"
      )
    ]
  const now = yield* Clock.currentTimeMillis
  const took = ok("venue", `${url} answers with ${status} in ${now - sentAt} ms`)
  const reached =
    status < 500 ? took : warn("venue", took.text, "the service has trouble; the bot waits and tries again")
  const budget =
    status === 429
      ? warn(
          "rate budget",
          "the venue limits how often it may be asked",
          "end what else asks with this key; the bot slows down"
        )
      : ok("rate budget", "not limited now; a running bot learns the rest from the venue's answers")
  const date = Option.map(DateTime.make(headers["date"] ?? ""), DateTime.toEpochMillis)
  if (Option.isNone(date)) return [reached, budget]
  const skew = Math.round((sentAt + now) / 2 - date.value - headerMillis / 2)
  const text = skewText(skew)
  const clock =
    Math.abs(skew) > mostSkewMillis ? wrong("clock", text, "set the clock: switch on NTP") : ok("clock", text)
  return [reached, budget, clock]
})

const keyFinding = <E extends { readonly message: string }, R>(found: Effect.Effect<CheckFinding, E, R>) =>
  Effect.catch(found, ({ message }) =>
    Effect.succeed(wrong("key", message, "put the key of the account into its file"))
  )

/** The asset as the venue lists it and quotes it against another one; several assets are asked at once. */
const assetFinding = Effect.fnUntraced(function* (asset: Asset, other: Asset, tokens: ReadonlyArray<Token>) {
  const { decimals, id, symbol } = asset
  const name = `assets.${symbol}`
  const listed = tokens.find(({ assetId }) => assetId === id)
  const isOther = listed !== undefined && listed.decimals !== decimals
  if (isOther)
    return wrong("assets", `${name} has ${decimals} decimals; the venue lists ${listed.decimals}`, `correct ${name}`)
  const isUnlisted = tokens.length > 0 && listed === undefined
  return yield* Quotes.verify(asset, other).pipe(
    Effect.timeout(patience),
    Effect.as(undefined),
    Effect.catchTag("WrongDecimals", ({ message }) => Effect.succeed(wrong("assets", message, `correct ${name}`))),
    Effect.catchReason("VenueError", "Rejected", ({ code, message }) => {
      const text = `${name}, ${id}: ${message}`
      if (code === quoteRefusedCode)
        return Effect.succeed(
          wrong("prices", message, "check venue.quoteKey, and who answers at venue.url; the bot uses no such price")
        )
      const fix = `check assets.${symbol}.id: limitbot init lists what the venue trades`
      return Effect.succeed(isUnlisted ? wrong("assets", text, fix) : warn("assets", text, fix))
    }),
    Effect.orElseSucceed(() => undefined)
  )
})

/** Each asset against the first one, and the first one against the second. */
const assetFindings = Effect.fnUntraced(function* (config: ConfigFile.BotConfig) {
  const { assets } = config.markets
  const [first, second] = assets
  if (first === undefined || second === undefined) return []
  const asked = Effect.gen(function* () {
    const tokens = yield* Venue.use((venue) => venue.tokens).pipe(Effect.orElseSucceed(() => []))
    return yield* Effect.forEach(assets, (asset) => assetFinding(asset, asset === first ? second : first, tokens), {
      concurrency: 4
    })
  })
  const found = yield* Layers.accountOf(config).pipe(
    Effect.flatMap((account) => Effect.provide(asked, Layers.looking(config, account))),
    Effect.orElseSucceed(() => [])
  )
  const problems = Arr.dedupeWith(
    found.flatMap((each) => each ?? []),
    (a, b) => a.text === b.text
  )
  if (problems.some(({ check }) => check === "prices")) return problems
  const isSigned = config.venue.quoteKey !== undefined
  const prices = isSigned
    ? ok("prices", "signed: every quote bears the signature of venue.quoteKey")
    : warn("prices", "unsigned: whoever is between the bot and the venue can change them", "set venue.quoteKey")
  return [...problems, prices]
})

const accountFindings = Effect.fnUntraced(function* (config: ConfigFile.BotConfig) {
  const { signing } = config.account
  if ("signer" in signing) {
    const isThere = yield* Effect.sync(
      () => statSync(signing.signer.socket, { throwIfNoEntry: false })?.isSocket() === true
    )
    return isThere
      ? yield* keyFinding(
          Effect.as(Layers.accountOf(config), ok("key", `in the signer process at ${signing.signer.socket}`))
        )
      : wrong("key", `no signer process listens at ${signing.signer.socket}`, "start it: limitbot signer")
  }
  return yield* keyFinding(
    Effect.gen(function* () {
      const publicKey = yield* publicKeyOf(signing.key)
      const { signerId } = yield* Layers.accountOf(config)
      const text = `signs for ${signerId} with ${publicKey}`
      return AccountKey.keyOf(signerId) === undefined
        ? warn(
            "key",
            `${text}; only the verifier knows the keys of a named account`,
            "limitbot balances: its login fails with the key of another account"
          )
        : ok("key", text)
    })
  )
})

/** Without a login nobody reads the private balances and the account's own history. */
const loginFinding = ({ venue: { facts } }: ConfigFile.BotConfig): CheckFinding => {
  const { login, saltFrom, salts } = facts
  if (LoginSalt.isMissing(facts))
    return warn(
      "login",
      `no login can be made without the salt of ${login.verifier}: private balances and the account's own history stay unread`,
      "set venue.facts.saltFrom to an RPC address of its ledger, or venue.nonceSalt"
    )
  const salt = salts[login.verifier]
  const from = saltFrom ?? (salt === undefined ? undefined : "the configuration; it rotates")
  return ok("login", from === undefined ? "needs no salt" : `the salt of ${login.verifier} comes from ${from}`)
}

export const findingsOf = Effect.fnUntraced(function* (file: string) {
  const loaded = yield* ConfigFile.load(file).pipe(Effect.result)
  if (loaded._tag === "Failure") return [wrong("configuration", loaded.failure.message, "mend what it says")]
  const config = loaded.success
  const told = config.notify.length > 0 || config.heartbeat !== undefined
  return [
    ok("configuration", `${file}: ${counted(config.markets.assets.length, "asset")}`),
    yield* accountFindings(config),
    loginFinding(config),
    yield* disk(config.journal),
    ...(yield* journalFindings(config.journal)),
    ...(yield* venueFindings(config.venue.url)),
    ...(yield* assetFindings(config)),
    told
      ? ok(
          "alerts",
          `${counted(config.notify.length, "receiver")}${config.heartbeat === undefined ? "" : ", heartbeat"}`
        )
      : warn("alerts", "nobody is told when something goes wrong", "set notify or heartbeat")
  ]
})
