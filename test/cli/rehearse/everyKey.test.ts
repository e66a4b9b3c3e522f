/**
 * Every key of the configuration and how a rehearsal takes it: as it stands, replaced by something of the sandbox, or not at
 * all because it cannot matter there. A new key has no row, and fails here.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as RehearsedConfig from "../../../src/rehearsal/rehearse/RehearsedConfig.ts"
import { configWith, settingsOf } from "../../world/processes/rehearsing.ts"

/** `config`: sections with the key; what they change must arrive in the bot. */
interface Used {
  readonly config: string
  /** Without the key, if that is not the usual configuration. */
  readonly without?: string
}
/** What stands there instead, or why nothing does. */
type Row = Used | { readonly instead: string } | { readonly cannotMatter: string }

const venue = (more: string) => `venue: { url: https://venue.invalid, apiKey: { env: NONE }, ${more} }\n`
const account = (more: string) => `account: { key: { env: NONE }, ${more} }\n`
const btc = (more: string) =>
  `assets:\n  BTC: { id: "nep141:btc.omft.native", decimals: 8${more} }\n  USDC: { id: "nep141:usdc.omft.native", decimals: 6 }\n`
const target = (more: string) => `notify: [{ to: webhook, url: "https://people.invalid", ${more} }]\n`
const email = (more: string) =>
  `notify: [{ to: email, url: "smtps://people.invalid", from: a@b.invalid, recipients: [c@d.invalid]${more} }]\n`

const address = "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"
const sandboxKey = "the sandbox's own: the user's key signs nothing here, and need not be readable"
const nobody = "no message leaves a rehearsal, so nobody's address or secret is read"
const unseen = "nobody looks at a rehearsal while it runs, and the figures are in its report"

const rows: Readonly<Record<string, Row>> = {
  "venue.url": { instead: "the sandbox's address" },
  "venue.analyticsUrl": { instead: "the sandbox's address, where its history is" },
  "venue.ledger": { config: venue("ledger: near") },
  "venue.verifier": { config: venue("verifier: others.native") },
  "venue.apiKey": { instead: "the sandbox's own key" },
  "venue.partnerJwt": { config: venue("partnerJwt: { env: NONE }") },
  "venue.quoteKey": { instead: "the sandbox's key, where quotes are to be verified" },
  "venue.minOrderUsd": { config: venue("minOrderUsd: 25") },
  "venue.incidents.url": { cannotMatter: "nothing is read from the network, and the sandbox has no incidents" },
  "venue.incidents.token": { cannotMatter: "nothing is read from the network, and the sandbox has no incidents" },
  "venue.proxy": { cannotMatter: "nothing is read from the network" },
  "venue.incidents": { cannotMatter: "nothing is read from the network, and the sandbox has no incidents" },
  "venue.profile": { config: venue("profile: near-2026-11") },
  "venue.facts.confidentialVerifier": { config: venue("facts: { confidentialVerifier: others.far }") },
  "venue.facts.treasury": {
    config: venue(`profile: near-2026-11, facts: { treasury: ${"0".repeat(64)} }`),
    without: venue("profile: near-2026-11")
  },
  "venue.facts.loginVerifier": { config: venue("facts: { loginVerifier: others.native }") },
  "venue.facts.loginNonce": { config: venue("facts: { loginNonce: started }") },
  "venue.facts.loginWithin.before": { config: venue("facts: { loginWithin: { before: 1m, after: 5m } }") },
  "venue.facts.loginWithin.after": { config: venue("facts: { loginWithin: { before: 4m, after: 1m } }") },
  "venue.facts.salts.*": { config: venue("facts: { salts: { intents.native: 252812b3 } }") },
  "venue.facts.orders.confidentialities[]": { config: venue("facts: { orders: { confidentialities: [advanced] } }") },
  "venue.facts.orders.tooSmall": { config: venue("facts: { orders: { tooSmall: request-rejected } }") },
  "venue.facts.saltFrom": { instead: "the sandbox's view of its verifier" },
  "venue.facts.fees.credential": { config: venue("facts: { fees: { credential: apiKey } }") },
  "venue.facts.fees.withoutPartner": { config: venue("facts: { fees: { withoutPartner: 0.3% } }") },
  "venue.facts.fees.withPartner": { config: venue("facts: { fees: { withPartner: 0.3% } }") },
  "venue.facts.fees.alike": { config: venue("facts: { fees: { alike: 0.3% } }") },
  "venue.facts.fees.stable[]": { config: venue("facts: { fees: { stable: [USDC] } }") },
  "venue.facts.fees.settlement": { config: venue("facts: { fees: { settlement: 0.3% } }") },
  "venue.facts.fees.appFees": { config: venue("facts: { fees: { appFees: shared } }") },
  "venue.facts.fees.improvement.kept": { config: venue("facts: { fees: { improvement: { kept: 50% } } }") },
  "venue.facts.fees.improvement.minutes": { config: venue("facts: { fees: { improvement: { minutes: 30 } } }") },
  "venue.facts.crossingHashes": { config: venue("facts: { crossingHashes: true }") },
  "venue.facts.advancedStatus": { config: venue("facts: { advancedStatus: bare }") },
  "venue.facts.orders.minUsd": { config: venue("facts: { orders: { minUsd: 3 } }") },
  "venue.facts.orders.chainMinUsd.*": { config: venue("facts: { orders: { chainMinUsd: { tron: 7 } } }") },
  "venue.facts.orders.quotes": { config: venue("facts: { orders: { quotes: as-orders } }") },
  "venue.facts.fees.flat": { config: venue("facts: { fees: { flat: chains } }") },
  "venue.facts.fees.fillsNet": { config: venue("facts: { fees: { fillsNet: true } }") },
  "venue.facts.settlementHashes": { config: venue("facts: { settlementHashes: false }") },
  "venue.facts.movesBetweenAccounts": { config: venue("facts: { movesBetweenAccounts: true }") },
  "venue.facts.accountHistory": { config: venue("facts: { accountHistory: invite-only }") },
  "venue.nonceSalt": { config: venue("nonceSalt: 252812b3") },
  "account.key": { instead: sandboxKey },
  "account.keystore.file": { instead: sandboxKey },
  "account.keystore.passphrase": { instead: sandboxKey },
  "account.signer.socket": {
    instead: "the sandbox's own key, behind the bot's guard; the caps of a signer are not asked"
  },
  "account.signerId": { instead: "the account of the sandbox's key" },
  "account.depositType": { config: account("depositType: CONFIDENTIAL_INTENTS") },
  "account.wallet.manual": { config: account("wallet: { manual: true }") },
  "account.wallet.sandbox": { config: account("wallet: { sandbox: true }") },
  "account.wallet.command[]": { config: account("wallet: { command: [pay, now] }") },
  "account.recipients.*": { config: account(`recipients: { BTC: ${address} }`) },
  "account.refundTo.*": { config: account(`refundTo: { BTC: ${address} }`) },
  "account.confidentiality": { config: account("confidentiality: advanced") },
  "account.depositMode": {
    config: account("depositType: ORIGIN_CHAIN, depositMode: MEMO"),
    without: account("depositType: ORIGIN_CHAIN")
  },
  "account.appFees.*": { config: account("appFees: { alice.near: 20 }") },
  "assets.*.id": { config: btc("").replace("btc.omft", "xbtc.omft"), without: btc("") },
  "assets.*.decimals": { config: btc("").replace("decimals: 8", "decimals: 9"), without: btc("") },
  "assets.*.aliases[]": { config: btc(", aliases: [other-btc]"), without: btc("") },
  "assets.*.depositType": { config: btc(", depositType: CONFIDENTIAL_INTENTS"), without: btc("") },
  "markets.*.tick": { config: "markets: { BTC/USDC: { tick: 5 } }\n" },
  "markets.*.candles": { instead: "the same candles, re-dated and with the sandbox's prices" },
  "markets.*.within": { config: "markets: { BTC/USDC: { within: 9% } }\n" },
  "prices.within": { config: "prices: { within: 9% }\n" },
  "prices.after": { config: "prices: { after: 5m }\n" },
  "prices.command[]": { instead: "the sandbox's token list: nobody outside knows its prices" },
  "limits.maxOpenOrders": { config: "limits: { maxOpenOrders: 3 }\n" },
  "limits.maxOrdersPerHour": { config: "limits: { maxOrdersPerHour: 3 }\n" },
  "limits.exposure.*": { config: "limits: { exposure: { USDC: 100 } }\n" },
  reconcileEvery: { config: "reconcileEvery: 5m\n" },
  "canary.every": { config: "canary: { every: 5m }\n" },
  "stuckAfter.create": { config: "stuckAfter: { create: 1s }\n" },
  "stuckAfter.deposit": { config: "stuckAfter: { deposit: 1s }\n" },
  "stuckAfter.doubt": { config: "stuckAfter: { doubt: 1s }\n" },
  "stuckAfter.end": { config: "stuckAfter: { end: 1s }\n" },
  "stuckAfter.payout": { config: "stuckAfter: { payout: 1s }\n" },
  "stuckAfter.refund": { config: "stuckAfter: { refund: 1s }\n" },
  journal: { instead: "a journal of its own, and with it none of the files that an operator leaves beside yours" },
  "signals.file": {
    cannotMatter: "its lines count at the time when they are written: nobody writes them in a rehearsal"
  },
  "alerts[]": { cannotMatter: "an alert places no order, and nobody is told of a rehearsal" },
  "witness.every": { cannotMatter: "nobody outside is told of a journal that is thrown away" },
  "witness.file": { cannotMatter: "nobody outside is told of a journal that is thrown away" },
  "witness.mail": { cannotMatter: "nobody outside is told of a journal that is thrown away" },
  "witness.url": { cannotMatter: "nobody outside is told of a journal that is thrown away" },
  "notify[].to": { config: email(""), without: target("") },
  "notify[].url": { instead: nobody },
  "notify[].secret": { instead: nobody },
  "notify[].chat": {
    config: "notify: [{ to: telegram, secret: { env: NONE }, chat: '1' }]\n",
    without: "notify: [{ to: telegram, secret: { env: NONE }, chat: '2' }]\n"
  },
  "notify[].least": { config: target("least: alarm"), without: target("") },
  "notify[].kinds[]": { config: target("kinds: [FillSeen]"), without: target("") },
  "notify[].except[]": { config: target("except: [FillSeen]"), without: target("") },
  "notify[].commands[]": { cannotMatter: "nobody is in the chat of a rehearsal" },
  "notify[].from": { config: email("").replace("a@b", "z@b"), without: email("") },
  "notify[].recipients[]": { config: email("").replace("c@d", "z@d"), without: email("") },
  "notify[].command[]": {
    config: "notify: [{ to: command, command: [tell, loudly] }]\n",
    without: "notify: [{ to: command, command: [tell] }]\n"
  },
  "notify[].services[]": { cannotMatter: "no browser has subscribed to a bot that is made for a rehearsal" },
  "notify[].user": { config: email(", user: somebody"), without: email("") },
  "otlp.url": { cannotMatter: unseen },
  "otlp.token": { cannotMatter: unseen },
  "heartbeat.url": { instead: nobody },
  "heartbeat.every": {
    config: "heartbeat: { url: https://people.invalid, every: 5m }\n",
    without: "heartbeat: { url: https://people.invalid }\n"
  },
  "dashboard.host": { cannotMatter: unseen },
  "dashboard.port": { cannotMatter: unseen },
  "dashboard.names[]": { cannotMatter: unseen },
  "dashboard.viewerToken": { cannotMatter: unseen },
  "dashboard.tls.certificate": { cannotMatter: unseen },
  "dashboard.tls.key": { cannotMatter: unseen },
  "dashboard.unencrypted": { cannotMatter: unseen }
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly anyOf?: ReadonlyArray<SchemaNode>
}

/** A secret is one key, wherever it comes from. */
const isSecret = ({ properties }: SchemaNode): boolean => Object.keys(properties ?? {}).join() === "env,file"

const keysIn = (node: SchemaNode, path = ""): ReadonlyArray<string> => {
  const below = (name: string) => (path === "" ? name : `${path}.${name}`)
  const { additionalProperties, anyOf, items, properties } = node
  if (anyOf !== undefined) return anyOf.flatMap((each) => keysIn(each, path))
  if (properties !== undefined && !isSecret(node))
    return Object.entries(properties).flatMap(([name, each]) => keysIn(each, below(name)))
  if (typeof additionalProperties === "object") return keysIn(additionalProperties, below("*"))
  return items === undefined ? [path] : keysIn(items, `${path}[]`)
}

const connection = {
  url: "http://sandbox.invalid",
  apiKey: "api",
  partnerJwt: "jwt",
  quoteKey: "quotes",
  account: { key: "key", signerId: "signer" }
}

/** Every value of a configuration by its place; secrets in the clear, because here they are none. */
const placesIn = (value: unknown, path = ""): ReadonlyMap<string, unknown> => {
  if (Redacted.isRedacted(value)) return new Map([[path, Redacted.value(value)]])
  const isInner = typeof value === "object" && value !== null && !(value instanceof Map) && !(value instanceof Set)
  if (!isInner || "unscaled" in value || "value" in value) return new Map([[path, value]])
  return new Map(Object.entries(value).flatMap(([name, inner]) => [...placesIn(inner, `${path}.${name}`)]))
}

/** What differs between two configurations. */
const changed = (one: unknown, other: unknown): ReadonlyMap<string, unknown> => {
  const before = placesIn(one)
  return new Map([...placesIn(other)].filter(([path, value]) => !isDeepStrictEqual(before.get(path), value)))
}

const bot = async (config: string) => {
  const settings = await settingsOf(configWith(config))
  return { settings, rehearsed: RehearsedConfig.of(settings, connection, "journal.sqlite") }
}

describe("every key of the configuration", () => {
  it("has a row that says how a rehearsal treats it", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../config/schema/config.schema.json"), "utf8")
    const keys = [...new Set(keysIn(JSON.parse(text)))]
    assert.deepStrictEqual([...keys].sort(), Object.keys(rows).sort())
  })

  it("is in the commented example, in its section", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../config/example.yaml"), "utf8")
    const sections = new Set(Object.keys(rows).map((key) => /^\w+/.exec(key)?.[0] ?? ""))
    let section = ""
    const lines = text.split("\n").map((line) => {
      const name = /^(?:# )?(\w+):(?: |$)/.exec(line)?.[1] ?? ""
      if (sections.has(name)) section = name
      return { section, line }
    })
    const missing = Object.keys(rows).filter((key) => {
      const name = key
        .replace(/(?:\[\]|\.\*)+$/, "")
        .split(".")
        .at(-1)
      const [within] = /^\w+/.exec(key) ?? []
      return !lines.some((each) => each.section === within && new RegExp(`\\b${name}:`).test(each.line))
    })
    assert.deepStrictEqual(missing, [])
  })

  const used = Object.entries(rows).flatMap(([key, row]) => ("config" in row ? [[key, row] as const] : []))
  it.each(used)("%s is passed on unchanged", async (key, { config, without = "" }) => {
    const [before, after] = [await bot(without), await bot(config)]
    // Each is read in a folder of its own.
    const journal = before.settings.journal
    const live = changed(before.settings, { ...after.settings, journal })
    const inRehearsal = changed(before.rehearsed, after.rehearsed)
    assert.isAbove(live.size, 0, `the example of ${key} changes nothing`)
    assert.isAbove(inRehearsal.size, 0, `a rehearsal does not notice ${key}`)
    // Receivers have their rules in one place; everything else is where it was.
    if (key.startsWith("notify")) return
    for (const [path, value] of live) assert.deepStrictEqual(placesIn(after.rehearsed).get(path), value, path)
  })

  it("that leads out of this machine, or to real money, is removed", async () => {
    const { rehearsed } = await bot(
      [
        "venue: { url: https://venue.invalid, analyticsUrl: https://past.invalid, apiKey: { env: NONE },",
        "  quoteKey: ed25519:GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB, incidents: https://status.invalid }",
        "account: { signer: { socket: /run/signer }, signerId: alice.native }",
        "otlp: { url: https://collector.invalid }",
        "dashboard: { port: 1 }",
        "notify: [{ to: telegram, secret: { env: NONE }, chat: '1', commands: ['1'] }]",
        "heartbeat: { url: https://beat.invalid }",
        "prices: { command: [/run/prices] }",
        "markets: { BTC/USDC: { candles: btc.csv } }",
        "journal: real.sqlite",
        ""
      ].join("\n")
    )
    const said = [...placesIn(rehearsed)].map(([path, value]) => `${path} = ${String(value)}`).join("\n")
    for (const outside of ["venue", "past", "status", "collector", "beat"])
      assert.notInclude(said, `${outside}.invalid`)
    for (const real of ["/run/signer", "/run/prices", "alice", "telegram.org", "real.sqlite", "GmaDr"])
      assert.notInclude(said, real)
    assert.deepStrictEqual(rehearsed.notify[0]?.commands, [])
    assert.isUndefined(rehearsed.markets.sources)
    assert.strictEqual(rehearsed.venue.quoteKey, connection.quoteKey)
  })
})
