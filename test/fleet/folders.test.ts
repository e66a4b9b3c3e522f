/** A folder of accounts is refused for what a fleet would not do, unless the database has the account like that already. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as AccountFolders from "../../src/fleet/accounts/AccountFolders.ts"
import { type AccountFiles, Registry } from "../../src/journal/postgres/Registry.ts"

const configText = `venue:
  url: http://127.0.0.1:1
  ledger: native
  apiKey: { file: api.key }
account:
  key: { file: account.key }
assets:
  BTC: { id: "nep141:btc.omft.native", decimals: 8 }
  USDC: { id: "nep141:usdc.omft.native", decimals: 6 }
`
const gridText = `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.01, quote: 600 } }
grid: { lower: 59000, upper: 61000, levels: 5, size: { base: 0.002 } }
`
const signalText = `name: dips
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  timeframe: 1m
  orders:
    dip: { when: 'signal("trend", 2m) > 0.5', side: buy, price: mid, size: { quote: 100 } }
`
const folders: Array<string> = []
afterAll(() => folders.forEach((folder) => void rmSync(folder, { recursive: true })))

/** Writes the folder of anna into the database, which has `storedAccounts`. */
const applied = Effect.fnUntraced(function* (
  config: string,
  strategy: string,
  storedAccounts: ReadonlyArray<AccountFiles> = []
) {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-folders-"))
  folders.push(folder)
  mkdirSync(join(folder, "anna"))
  writeFileSync(join(folder, "anna/config.yaml"), config)
  writeFileSync(join(folder, "anna/grid.yaml"), strategy)
  const written: Array<AccountFiles> = []
  const registry = Layer.mock(Registry)({
    one: (name) => {
      const account = storedAccounts.find((each) => each.name === name)
      const row = { revision: 1, wanted: "running", why: "", isOwned: false } as const
      return Effect.succeed(
        account && { ...account, ...row, owner: undefined, told: undefined, toldSecondsAgo: undefined }
      )
    },
    apply: (account) => Effect.sync(() => void written.push(account))
  })
  const outcome = yield* Effect.result(Effect.provide(AccountFolders.apply(folder, true), registry))
  return { folder, outcome, written }
}, Effect.provide(NodeServices.layer))

const refusal = (config: string, strategy = gridText) =>
  Effect.map(applied(config, strategy), ({ folder, outcome, written }) => {
    assert.lengthOf(written, 0)
    const { message } = Result.isFailure(outcome) ? outcome.failure : assert.fail("it is taken")
    return message.replaceAll(`${folder}/`, "")
  })

describe("a folder of accounts", () => {
  it.effect("is refused for a key of a bot that has no effect in a fleet, with what to do instead", () =>
    Effect.gen(function* () {
      const lines = {
        alerts: "alerts: [BTC/USDC above 70000]",
        canary: "canary: { every: 1d }",
        heartbeat: 'heartbeat: { url: "https://watch.example/ping", every: 1m }',
        notify: 'notify: [{ to: webhook, url: "https://hooks.example/limitbot", least: alarm }]',
        otlp: 'otlp: { url: "https://collector.example" }',
        signals: "signals: { file: signals.csv }",
        witness: "witness: { file: notes }",
        candles: "markets: { BTC/USDC: { candles: btc.csv } }"
      }
      for (const [key, line] of Object.entries(lines))
        assert.match(
          yield* refusal(`${configText}${line}\n`),
          new RegExp(`^anna/config\\.yaml:10: a fleet does not use "${key}": remove it, (?:and|or) .*$`)
        )
      const both = yield* refusal(`${configText}${lines.canary}\n${lines.otlp}\n`)
      assert.match(both, /:10: .*"canary".*\n.*:11: .*"otlp"/)
    })
  )

  it.effect("is refused for a strategy that waits for signals or for candles of a source", () =>
    Effect.gen(function* () {
      assert.match(
        yield* refusal(configText, signalText),
        /^anna\/grid\.yaml: a fleet has no signal "trend": remove it/
      )
      assert.match(
        yield* refusal(configText, `${gridText}candles: btc.csv\n`),
        /^anna\/grid\.yaml:6: a fleet does not use "candles": remove it/
      )
    })
  )

  it.effect("with such a key is taken unchanged if the database has it, so its runner starts", () =>
    Effect.gen(function* () {
      const config = `${configText}canary: { every: 1d }\n`
      const storedAccount = { name: "anna", class: "", config, strategies: [{ file: "grid.yaml", text: gridText }] }
      const same = yield* applied(config, gridText, [storedAccount])
      assert.deepStrictEqual(Result.getOrThrow(same.outcome), [{ account: "anna", change: "same", files: [] }])
      assert.lengthOf(same.written, 0)
      const edited = yield* applied(config, gridText.replace("61000", "62000"), [storedAccount])
      assert.isTrue(Result.isFailure(edited.outcome))
      assert.lengthOf(edited.written, 0)
      const mended = yield* applied(configText, gridText, [storedAccount])
      assert.deepStrictEqual(
        mended.written.map(({ config }) => config),
        [configText]
      )
    })
  )
})
