import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Path, Redacted } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { feesToOthers } from "../../src/domain/Order.ts"
import { type ConfigInvalid, load, loadSettings } from "../../src/files/ConfigFile.ts"
import { ownAccount, termsOf } from "../../src/venue/VenueConfig.ts"

const good = `venue:
  url: https://venue.example/base/
  apiKey: { env: TEST_API_KEY }
account:
  key: { env: TEST_ACCOUNT_KEY }
assets:
  BTC: { id: "nep141:btc.omft.native", decimals: 8 }
  USDC: { id: "nep141:usdc.omft.native", decimals: 6 }
markets:
  BTC/USDC: { tick: 0.01 }
journal: bot.sqlite
dashboard:
  port: 9000
`

const env = ConfigProvider.layer(
  ConfigProvider.fromEnv({
    env: { TEST_API_KEY: "api-key-value", TEST_ACCOUNT_KEY: "ed25519:key-value\n", EMPTY: " " }
  })
)

/** Writes files into a folder of their own and hands over the path of the first. */
const withFiles = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, mode = 0o600) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fileSystem.makeTempDirectoryScoped()
  for (const [name, content] of Object.entries(files)) {
    yield* fileSystem.writeFileString(path.join(folder, name), content)
    yield* fileSystem.chmod(path.join(folder, name), mode)
  }
  return { folder, config: path.join(folder, Object.keys(files)[0] ?? "") }
})

const failure = Effect.fnUntraced(function* (text: string, files: Readonly<Record<string, string>> = {}, mode = 0o600) {
  const { config } = yield* withFiles({ "bot.yaml": text, ...files }, mode)
  return yield* load(config).pipe(Effect.flip)
})

const said = ({ problems }: ConfigInvalid) =>
  problems.map(({ line, column, message }) => `${line}:${column} ${message}`)

const provided = Effect.provide([NodeServices.layer, env])

describe("the configuration file", () => {
  it.effect("needs an e-mail receiver to mail checkpoints, and says so", () =>
    Effect.gen(function* () {
      const witness = "witness: { file: notes, mail: 1d }\n"
      const mail =
        "notify:\n  - { to: email, url: smtps://mail.example, from: a@b.example, recipients: [c@d.example] }\n"
      const line = good.split("\n").length
      assert.deepStrictEqual(said(yield* failure(good + witness)), [`${line}:31 nobody gets e-mail`])
      const { config, folder } = yield* withFiles({ "bot.yaml": good + witness + mail })
      const place = { file: `${folder}/notes`, everyMillis: 600_000, mailMillis: 86_400_000 }
      assert.deepStrictEqual((yield* load(config)).witness, place)
    }).pipe(provided)
  )

  it.effect("gives typed values, defaults, secrets as Redacted, and paths from its own folder", () =>
    Effect.gen(function* () {
      const { config, folder } = yield* withFiles({ "bot.yaml": good })
      const loaded = yield* load(config)
      assert.strictEqual(loaded.venue.url, "https://venue.example/base")
      assert.strictEqual(loaded.venue.analyticsUrl, "https://venue.example/base")
      assert.deepStrictEqual([loaded.venue.ledger, loaded.venue.verifier], ["native", "intents.native"])
      assert.strictEqual(Redacted.value(loaded.venue.apiKey), "api-key-value")
      const { signing } = loaded.account
      assert.strictEqual("key" in signing && Redacted.value(signing.key), "ed25519:key-value")
      assert.deepStrictEqual([loaded.account.depositType, loaded.account.signerId], ["INTENTS", undefined])
      assert.strictEqual(loaded.journal, `${folder}/bot.sqlite`)
      assert.deepStrictEqual(loaded.dashboard, {
        host: "127.0.0.1",
        port: 9000,
        names: [],
        mayMove: false,
        viewerToken: undefined,
        tls: undefined
      })
      assert.deepStrictEqual(loaded.markets.ticks, new Map([["BTC/USDC", Decimal.make(1n, 2)]]))
      assert.notInclude(JSON.stringify(loaded.venue) + JSON.stringify(loaded.account), "-value")
    }).pipe(provided)
  )

  it.effect("has an example that is valid except for the unset secrets", () =>
    Effect.gen(function* () {
      const { assets } = (yield* loadSettings("config/example.yaml")).markets
      assert.deepStrictEqual(
        assets.map(({ symbol, decimals }) => `${symbol} ${decimals}`),
        ["BTC 8", "ETH 18", "SOL 9", "USDC 6"]
      )
      const problems = said(yield* load("config/example.yaml").pipe(Effect.flip))
      assert.deepStrictEqual(
        problems.map((problem) => problem.replace(/^\S+ /, "")),
        [
          "the environment variable LIMITBOT_API_KEY is not set",
          "the environment variable LIMITBOT_ACCOUNT_KEY is not set"
        ]
      )
    }).pipe(provided)
  )

  it.effect("accepts terms for every order, other spellings of assets, and the salt of nonces", () =>
    Effect.gen(function* () {
      const text = good
        .replace("account:\n", "account:\n  confidentiality: advanced\n  appFees: { self: 10, partner.near: 5 }\n")
        .replace("https://venue.example/base/\n", "$&  nonceSalt: 252812b3\n")
        .replace('native", decimals: 8 }', 'native", decimals: 8, aliases: ["1cs_v1:btc:native:coin"] }')
      const loaded = yield* load((yield* withFiles({ "bot.yaml": text })).config)
      assert.deepStrictEqual(
        loaded.venue.assetSpellings,
        new Map([["1cs_v1:btc:native:coin", "nep141:btc.omft.native"]])
      )
      assert.strictEqual(loaded.venue.facts.salts[loaded.venue.verifier], "252812b3")
      const account = { ...ownAccount("alice", "INTENTS"), ...loaded.account.terms }
      assert.deepInclude(termsOf(account, "INTENTS"), {
        confidentiality: "advanced",
        depositMode: "SIMPLE",
        appFees: [
          { recipient: "alice", fee: 10 },
          { recipient: "partner.near", fee: 5 }
        ]
      })
      assert.strictEqual(feesToOthers(loaded.account.terms), 5)
      const wrong: ReadonlyArray<readonly [string, string, RegExp]> = [
        ["account:\n", "account:\n  depositMode: MEMO\n", /carries no memo: MEMO is for ORIGIN_CHAIN/],
        ["account:\n", "account:\n  appFees: { self: 300, a.near: 300 }\n", /the fees total 600 basis points/],
        ["account:\n", "account:\n  confidentiality: public\n", /basic or advanced/],
        ['"nep141:btc', '"1cs_v1:near:nep141:btc', /plain form of this id is nep141:btc.omft.native: write that/],
        [
          'native", decimals: 8 }',
          'native", decimals: 8, aliases: ["nep141:usdc.omft.native"] }',
          /names an asset already/
        ]
      ]
      for (const [from, to, problem] of wrong) {
        assert.match(said(yield* failure(good.replace(from, to))).join("\n"), problem)
      }
      // Where the service shares app fees, its own part counts in the limit.
      const shared = good
        .replace("account:\n", "account:\n  appFees: { self: 490 }\n")
        .replace("https://venue.example/base/\n", "$&  profile: near-2026-11\n")
      assert.match(said(yield* failure(shared)).join("\n"), /with the service's own 20 the fees total 510 basis points/)
    }).pipe(provided)
  )

  it.effect("keeps its secrets from the wallet program, whose path starts at the file", () =>
    Effect.gen(function* () {
      const text = good.replace("account:\n", "account:\n  wallet: { command: [./pay.sh, --fast] }\n")
      const { config, folder } = yield* withFiles({ "bot.yaml": text })
      const { account } = yield* load(config)
      assert.deepStrictEqual(account.wallet, {
        command: {
          program: `${folder}/pay.sh`,
          args: ["--fast"],
          secretVariables: [
            "LIMITBOT_API_KEY",
            "LIMITBOT_PARTNER_JWT",
            "LIMITBOT_ACCOUNT_KEY",
            "LIMITBOT_DATABASE_URL",
            "TEST_API_KEY",
            "TEST_ACCOUNT_KEY"
          ]
        }
      })
    }).pipe(provided)
  )

  it.effect("reads a secret from a file that only its owner can read", () =>
    Effect.gen(function* () {
      const { config } = yield* withFiles({
        "bot.yaml": good.replace("{ env: TEST_API_KEY }", "{ file: key.txt }"),
        "key.txt": "from-a-file\n"
      })
      assert.strictEqual(Redacted.value((yield* load(config)).venue.apiKey), "from-a-file")
    }).pipe(provided)
  )

  it.effect("refuses a secret file that others can read, a link, a folder, an empty or a missing one", () =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const text = good.replace("{ env: TEST_API_KEY }", "{ file: key.txt }")
      const open = yield* failure(text, { "key.txt": "x" }, 0o644)
      assert.match(said(open).join(), /^3:11 others can read the secret file .*key.txt: run chmod 600 on it$/)
      assert.match(said(yield* failure(text)).join(), /^3:11 cannot read the secret file/)
      assert.match(said(yield* failure(text, { "key.txt": "\n" })).join(), /^3:11 the secret file .* is empty$/)
      const linked = yield* withFiles({ "bot.yaml": text, "real.txt": "x" })
      yield* fileSystem.symlink(`${linked.folder}/real.txt`, `${linked.folder}/key.txt`)
      assert.match(said(yield* load(linked.config).pipe(Effect.flip)).join(), /is a symbolic link$/)
      const folder = yield* withFiles({ "bot.yaml": text })
      yield* fileSystem.makeDirectory(`${folder.folder}/key.txt`, { mode: 0o700 })
      assert.match(said(yield* load(folder.config).pipe(Effect.flip)).join(), /is not a plain file$/)
    }).pipe(provided)
  )

  it.effect.each([
    ["apiKey: { env: TEST_API_KEY }", "apiKey: sk-123456789-canary", "3:11 never put a secret in this file"],
    ["apiKey: { env: TEST_API_KEY }", "apiKey:\n    sk-123456789-canary", "4:5 never put a secret in this file"],
    ["apiKey: { env: TEST_API_KEY }", "apiKey: [sk-canary]", "3:11 never put a secret in this file"],
    ["apiKey: { env: TEST_API_KEY }", "apiKey: { sk-canary }", "3:11 expected { env: NAME } or { file: PATH }"],
    ["apiKey: { env: TEST_API_KEY }", "apiKey: { env: sk-canary }", "3:11 expected { env: NAME } or { file: PATH }"],
    ["apiKey: { env: TEST_API_KEY }", "apiKey: { env: A, file: b }", "3:11 expected one of env and file"],
    ["{ env: TEST_ACCOUNT_KEY }", "ed25519:canary", "5:8 never put a secret in this file"],
    ["{ env: TEST_ACCOUNT_KEY }", '"ed25519:canary', "5:8 this quote is never closed"],
    ["{ env: TEST_ACCOUNT_KEY }", "@canary", "5:8 a value cannot begin with this character"],
    ["{ env: TEST_API_KEY }", "{ env: NOT_SET }", "3:11 the environment variable NOT_SET is not set"],
    ["{ env: TEST_API_KEY }", "{ env: EMPTY }", "3:11 the environment variable EMPTY is empty"]
  ] as const)("keeps secrets out of messages: %s", ([was, is, expected]) =>
    Effect.gen(function* () {
      const problem = yield* failure(good.replace(was, is))
      assert.deepStrictEqual(said(problem), [expected])
      assert.notInclude(problem.message + JSON.stringify(problem), "canary")
    }).pipe(provided)
  )

  /** Forms of a key that is misspelt, or that should be a reference to a secret. */
  const misspelt = (key: string): ReadonlyArray<string> => [
    `${key}: canary`,
    `"${key}" : canary`,
    `${key}:\n  canary`,
    `${key}: |\n  canary`,
    `${key}: [canary]`,
    `${key}: { canary }`,
    `${key}: { env: canary }`,
    `${key}: [\n  canary ]`,
    `${key}:\n  - canary`,
    `${key}: "canary`,
    `${key}: @canary`,
    `${key}: *canary`,
    `${key}: 'canary' canary`,
    `${key}: canary: canary`,
    `${key}:canary`,
    `${key} canary`,
    `${key}:\n\tcanary`,
    `${key}: canary\n${key}: canary`,
    `${key}:\n  env: canary\n  env: canary`
  ]
  const indented = (text: string, by: string) => text.replace(/^/gm, by)
  const receiver = (to: string, text: string) => `${good}notify:\n  - to: ${to}\n${indented(text, "    ")}\n`
  const holders: ReadonlyArray<readonly [section: string, withText: (text: string) => string]> = [
    ["venue", (text) => good.replace("account:\n", `${indented(text, "  ")}\naccount:\n`)],
    [
      "venue.incidents",
      (text) =>
        good.replace("account:\n", `  incidents:\n    url: https://a.example\n${indented(text, "    ")}\naccount:\n`)
    ],
    ["account", (text) => good.replace("assets:\n", `${indented(text, "  ")}\nassets:\n`)],
    [
      "account.wallet",
      (text) => good.replace("assets:\n", `  wallet:\n    command: [./pay]\n${indented(text, "    ")}\nassets:\n`)
    ],
    ["notify, a webhook", (text) => receiver("webhook", text)],
    ["notify, a chat", (text) => receiver("telegram", text)],
    ["notify, an e-mail", (text) => receiver("email", text)],
    ["notify, a phone", (text) => receiver("push", text)]
  ]
  it.effect.each(holders)("shows nothing of the value of an unknown key under %s", ([, withText]) =>
    Effect.gen(function* () {
      for (const key of ["apiKye", "passphrsae", "kye"])
        for (const text of misspelt(key)) {
          const problem = yield* failure(withText(text))
          assert.notInclude(problem.message + JSON.stringify(problem), "canary", text)
          assert.match(problem.message, /^\S+bot\.yaml:\d+:\d+: ./, text)
        }
    }).pipe(provided)
  )

  it.effect("shows nothing of an unknown key's value beside another mistake", () =>
    Effect.gen(function* () {
      const key = "account:\n  key: { env: TEST_ACCOUNT_KEY }\n"
      for (const section of [
        "account: { kye: canary, key: { env: TEST_ACCOUNT_KEY }, depositType: BANK }\n",
        "account: { kye: [\n  canary ], key: { env: TEST_ACCOUNT_KEY }, depositType: BANK }\n",
        "account: {\n  kye: {\n    a: canary }, key: { env: TEST_ACCOUNT_KEY }, depositType: BANK }\n"
      ]) {
        const problem = yield* failure(good.replace(key, section))
        assert.lengthOf(problem.problems, 2)
        assert.notInclude(problem.message + JSON.stringify(problem), "canary", section)
      }
    }).pipe(provided)
  )

  it.effect.each([
    ["  url: https://venue.example/base/\n", "", '2:3 missing key "url"'],
    ["https://venue.example/base/", "http://venue.example", "2:8 expected an address such as https://host/path"],
    ["https://venue.example/base/", "https://user:pass@venue.example", "2:8 expected an address"],
    ["https://venue.example/base/", "https://venue.example/?a=1", "2:8 expected an address"],
    ["https://venue.example/base/", "venue.example", "2:8 expected an address"],
    ["https://venue.example/base/", "file:///etc/passwd", "2:8 expected an address"],
    ["https://venue.example/base/", "http://127.0.0.1.evil.example", "2:8 expected an address"],
    ["  apiKey: { env: TEST_API_KEY }\n", "", '2:3 missing key "apiKey"'],
    ["  apiKey:", "  ledger: Native\n  apiKey:", "3:11 expected native or near"],
    ["  apiKey:", "  verifier: Intents Near\n  apiKey:", "3:13 expected an account id"],
    ["  apiKey:", "  quoteKey: abc\n  apiKey:", "3:13 expected a public key"],
    ["  apiKey:", "  minOrderUsd: -1\n  apiKey:", "3:16 expected a price above zero"],
    ["  apiKey:", "  apikey:", '3:3 unknown key "apikey"'],
    ["account:", "acount:", '4:1 unknown key "acount"'],
    ["  key: {", "  depositType: BANK\n  key: {", "5:16 expected INTENTS or CONFIDENTIAL_INTENTS or ORIGIN_CHAIN"],
    ["decimals: 8", "decimals: eight", "7:50 expected a whole number from 0 to 36"],
    ["decimals: 8", "decimals: 37", "7:50 expected a whole number"],
    ["  BTC: {", "  B C: {", "7:3 expected a symbol of letters and digits"],
    ["nep141:usdc", "nep141:btc", "8:15 USDC and BTC have the same id"],
    ["BTC/USDC: {", "BTC/USDT: {", '10:3 no asset "USDT" in the configuration'],
    ["tick: 0.01", "tick: 0", "10:21 expected a price above zero"],
    ["journal: bot.sqlite", "journal:", '11:1 "journal" has no value'],
    ["port: 9000", "port: 99999", "13:9 expected a whole number from 0 to 65535"],
    ["port: 9000", "host: 0.0.0.0", "13:9 dashboard.host 0.0.0.0 can be reached from other machines"],
    ["port: 9000", "viewerToken: { env: TEST_API_KEY }", "13:16 dashboard.viewerToken has fewer than 32 characters"],
    ["venue:", "venue: &v", "1:8 anchors"]
  ] as const)("says what is wrong: %s", ([was, is, expected]) =>
    Effect.gen(function* () {
      const problems = said(yield* failure(good.replace(was, is)))
      assert.isTrue(problems.length === 1 && problems[0]?.startsWith(expected), problems.join("\n"))
    }).pipe(provided)
  )

  it.effect("accepts plain http for this machine only", () =>
    Effect.gen(function* () {
      for (const url of ["http://127.0.0.1:8123", "http://localhost:8123", "http://[::1]:8123"]) {
        const { config } = yield* withFiles({ "bot.yaml": good.replace("https://venue.example/base/", `"${url}"`) })
        assert.strictEqual((yield* load(config)).venue.url, url)
      }
    }).pipe(provided)
  )

  const tellers: Readonly<Record<string, (url: string) => string>> = {
    webhook: (url) => `notify: [{ to: webhook, url: ${url}, secret: { env: TEST_API_KEY } }]`,
    slack: (url) => `notify: [{ to: slack, url: ${url} }]`,
    telegram: (url) => `notify: [{ to: telegram, url: ${url}, secret: { env: TEST_API_KEY }, chat: a }]`,
    ntfy: (url) => `notify: [{ to: ntfy, url: ${url}, secret: { env: TEST_API_KEY } }]`,
    heartbeat: (url) => `heartbeat: { url: ${url} }`,
    otlp: (url) => `otlp: { url: ${url}, token: { env: TEST_API_KEY } }`
  }
  it.effect.each(Object.entries(tellers))(
    "sends nothing to another machine unencrypted, wherever the address is set: %s",
    ([name, line]) =>
      Effect.gen(function* () {
        const readsReferences = name !== "otlp"
        const given = (url: string) =>
          failure(`${good}${line("{ file: address.url }")}\n`, { "address.url": `${url}\n` })
        for (const host of [
          "hook.example",
          "127.0.0.1.evil.example",
          "localhost.evil.example",
          "10.0.0.2",
          "user@x.example"
        ]) {
          if (name !== "slack") {
            const problems = said(yield* failure(`${good}${line(`"http://${host}/x"`)}\n`))
            assert.match(problems.join("\n"), /14:\d+ expected an address such as .*http only for this machine/)
          }
          if (!readsReferences) continue
          const problem = yield* given(`http://${host}/x`)
          assert.match(said(problem).join("\n"), /^14:\d+ the secret there is not an address such as/)
          assert.notInclude(problem.message, host)
        }
        if (!readsReferences) return
        for (const url of ["https://hook.example/x", "http://127.0.0.1:8080/x", "http://localhost/x"]) {
          const { config } = yield* withFiles({
            "bot.yaml": `${good}${line("{ file: address.url }")}\n`,
            "address.url": url
          })
          yield* load(config)
        }
      }).pipe(provided)
  )

  it.effect("names a missing file", () =>
    Effect.gen(function* () {
      const problem = yield* load("nowhere/bot.yaml").pipe(Effect.flip)
      assert.deepStrictEqual(said(problem), ["1:1 the configuration file cannot be read"])
      assert.include(problem.message, "nowhere/bot.yaml:1:1")
    }).pipe(provided)
  )
})
