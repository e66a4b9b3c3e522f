/**
 * What a release wrote is read by every later one: its journal, its configuration, its strategy files. `test/fixtures/releases`
 * has a folder for each release, made by that release (`npm run release`) and never changed afterwards.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { totals } from "../../src/domain/Ledger.ts"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import * as Chain from "../../src/journal/Chain.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import { version } from "../../src/version.ts"
import { configText, nowhere, runHere, runUntil, startSandbox, workspace } from "../world/processes/program.ts"

const root = resolve(import.meta.dirname, "../..")
const releases = join(root, "test/fixtures/releases")
const examples = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".yaml"))

/** What the examples trade. */
const withAllAssets = (text: string, ledger: string): string =>
  text.replace(
    /^assets:\n/m,
    `assets:\n  ETH:  { id: "nep141:eth.omft.${ledger}",  decimals: 18 }\n  SOL:  { id: "nep141:sol.omft.${ledger}",  decimals: 9 }\n`
  )

const environment = {
  LIMITBOT_API_KEY: nowhere.apiKey,
  LIMITBOT_PARTNER_JWT: nowhere.partnerJwt,
  LIMITBOT_ACCOUNT_KEY: nowhere.account.key
}

const succeeding = async (words: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const { code, stdout, stderr } = await runHere(words, { cwd, environment })
  assert.strictEqual(code, 0, `${words.join(" ")}\n${stdout}\n${stderr}`)
  return stdout
}

const folded = (filename: string) =>
  Effect.gen(function* () {
    const state = yield* replay
    return {
      money: totals(state.ledger).map(({ amount, asset, place }) => `${amount} ${asset} ${place}`),
      open: unfinished(state).map(({ id, state }) => `${id} ${state}`)
    }
  }).pipe(Effect.provide(Layer.provide(Journal.layer, Sqlite.layer({ filename }))))

/** Decisions of a release that the present rules decide differently: by release, the sequence and the change. */
const decidedOtherwise: Readonly<Record<string, ReadonlyArray<readonly [sequence: number, change: string]>>> = {
  // The exit after a stop follows the market; in 0.1.0 it stays at the stop.
  "0.1.0": [
    [
      656,
      "position: was BUY 5 SOL at 150, then SELL 5 SOL at 142.56 by swap; now BUY 5 SOL at 150, then SELL 5 SOL at 138.80036 by swap"
    ]
  ]
}

/** What the journal of `folder` says to this program. */
const toldIn = async (folder: string, otherwise: (typeof decidedOtherwise)[string] = []) => {
  const verified: { events: number; head: string } = JSON.parse(
    await succeeding(["journal", "verify", "--json", "--config", "config.yaml"], folder)
  )
  const replayed: {
    decisions: number
    identical: number
    hash: string
    differences: ReadonlyArray<{ sequence: number; changes: ReadonlyArray<string> }>
  } = JSON.parse(
    await succeeding(
      ["replay", ...(otherwise.length === 0 ? ["--certificate"] : []), "--json", "--config", "config.yaml"],
      folder
    )
  )
  assert.deepStrictEqual(
    replayed.differences.map(({ sequence, changes: [change = ""] }) => [sequence, change] as const),
    [...otherwise]
  )
  const { events, head } = verified
  const { decisions, identical, hash } = replayed
  const { money, open } = await Effect.runPromise(folded(join(folder, "journal.sqlite")))
  return { events, head, decisions, identical, hash, money, open }
}

/** One bot with all examples, on a sandbox, until some orders have filled and others rest. */
const write = async (release: string): Promise<void> => {
  const sandbox = await startSandbox({ like: "document", speed: 3_600 })
  const folder = workspace(sandbox, { "config.yaml": withAllAssets(configText(sandbox), sandbox.ledger) })
  mkdirSync(join(folder, "strategies"))
  mkdirSync(join(release, "strategies"), { recursive: true })
  copyFileSync(join(root, "config/example.yaml"), join(release, "config.yaml"))
  const names = examples(join(root, "strategies"))
  for (const name of names) {
    for (const to of [folder, release]) copyFileSync(join(root, "strategies", name), join(to, "strategies", name))
  }
  const files = names.map((name) => `strategies/${name}`)
  const run = ["run", ...files, "--config", "config.yaml", "--poll", "0.5s", "--json"]
  const { code, stderr } = await runUntil('"FillSeen"', 12, run, { cwd: folder })
  assert.isTrue(code === 0 || code === 143, stderr)
  await succeeding(["journal", "backup", "backup.sqlite", "--config", "config.yaml"], folder)
  writeFileSync(join(release, "journal.gz"), gzipSync(readFileSync(join(folder, "backup.sqlite")), { level: 9 }))
  copyFileSync(join(folder, "journal.sqlite.head"), join(release, "journal.head"))
  writeFileSync(join(release, "told.json"), `${JSON.stringify(await toldIn(folder), undefined, 2)}\n`)
}

describe("the files of a release", () => {
  it("are stored for the present version as well: npm run release", async () => {
    const release = join(releases, version)
    if (process.env["LIMITBOT_RELEASE"] === "write") await write(release)
    assert.include(readdirSync(releases), version)
    assert.deepStrictEqual(readdirSync(release).sort(), [
      "config.yaml",
      "journal.gz",
      "journal.head",
      "strategies",
      "told.json"
    ])
  })

  it("are in the changelog with their dates, the newest first, and nothing else is", () => {
    const told = [
      ...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## \[(\d\S*)\] - (\d{4}-\d\d-\d\d)$/gm)
    ]
    const numbers = told.map(([, number = ""]) => number)
    assert.strictEqual(numbers[0], version)
    assert.sameMembers(numbers, readdirSync(releases))
    const dates = told.map(([, , date = ""]) => date)
    assert.deepStrictEqual(dates, [...dates].sort().reverse())
  })

  it.each(readdirSync(releases))("are read by this program: %s", async (name) => {
    const release = join(releases, name)
    const folder = workspace(nowhere, { "config.yaml": withAllAssets(configText(nowhere), nowhere.ledger) })
    const journal = join(folder, "journal.sqlite")
    writeFileSync(journal, gunzipSync(readFileSync(join(release, "journal.gz"))), { mode: 0o600 })
    copyFileSync(join(release, "journal.head"), `${journal}.head`)
    const told = JSON.parse(readFileSync(join(release, "told.json"), "utf8"))
    assert.strictEqual(told.identical, told.decisions)
    const shown = await succeeding(["check", "--upgrade", "--config", "config.yaml"], folder)
    assert.match(shown, /^ok +configuration: config\.yaml: read as it is$/m)
    assert.match(shown, /^(ok +journal: \S+: read as it is|warn +tables: the next start changes)/m)
    const otherwise = decidedOtherwise[name] ?? []
    const { hash, identical, ...found } = await toldIn(folder, otherwise)
    const { hash: hashThen, identical: identicalThen, ...expected } = told
    assert.deepStrictEqual(found, expected)
    assert.strictEqual(identical, identicalThen - otherwise.length)
    // The hash covers all decisions.
    if (otherwise.length === 0) assert.strictEqual(hash, hashThen)

    // It goes on: what is written now seals what was written then.
    await Effect.runPromise(
      Effect.flatMap(Journal, ({ append }) => append([{ _tag: "BotStopped", reason: "went on" }])).pipe(
        Effect.provide(Layer.provide(Journal.layer, Sqlite.layer({ filename: journal })))
      )
    )
    const { events } = await Effect.runPromise(
      Effect.provide(Chain.verify(), Sqlite.layer({ filename: journal, readOnly: true }))
    )
    assert.strictEqual(events, told.events + 1)
  })

  it.each(readdirSync(releases))(
    "include a configuration and strategies that this program accepts: %s",
    async (name) => {
      const release = join(releases, name)
      const files = examples(join(release, "strategies"))
      assert.isAbove(files.length, 10)
      const words = ["check", ...files.map((file) => `strategies/${file}`), "--config", "config.yaml", "--json"]
      const { ok, problems } = JSON.parse(await succeeding(words, release))
      assert.deepStrictEqual([ok, problems], [true, []])
    }
  )

  it("need a change if this program no longer knows a key: the report names its line, and fails", async () => {
    const folder = workspace(nowhere)
    writeFileSync(join(folder, "odd.yaml"), "name: odd\nmarket: BTC/USDC\nkind: grid\ngird: {}\n")
    const report = ["check", "--upgrade", "grid.yaml", "odd.yaml", "--config", "config.yaml", "--json"]
    const { code, stdout } = await runHere(report, { cwd: folder, environment })
    assert.strictEqual(code, 1)
    const {
      findings,
      ok
    }: {
      readonly findings: ReadonlyArray<{ readonly verdict: string; readonly text: string }>
      readonly ok: boolean
    } = JSON.parse(stdout)
    assert.isFalse(ok)
    const texts = findings.map(({ text, verdict }) => `${verdict} ${text}`)
    assert.isTrue(texts.some((text) => text.startsWith("ok grid.yaml: read as it is")))
    assert.isTrue(texts.some((text) => /^wrong odd\.yaml:4:1: unknown key "gird"/.test(text)))
  })
})
