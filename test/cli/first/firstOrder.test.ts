/**
 * The first real order: checked, shown, agreed to, placed, cancelled, refunded and reported, over the real HTTP path. Nothing is paid where
 * a check fails, and nothing is paid twice, wherever the process dies.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as ByHand from "../../../src/files/ByHand.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { factsOf, type ProfileName, profileNames } from "../../../src/venue/profile/Profiles.ts"
import { atEndOfFiles } from "../../endOfFile.ts"
import { isLong } from "../../long.ts"
import {
  assertSays,
  type Connection,
  configText,
  ordersAt,
  start,
  startHere,
  startSandbox,
  workspace
} from "../../world/processes/program.ts"
import { recordingProxy } from "../../world/processes/recordingProxy.ts"

const prepare = async (
  like: ProfileName,
  change: (text: string, sandbox: Connection) => string | Promise<string> = (text) => text,
  settings: NonNullable<Parameters<typeof startSandbox>[0]>["settings"] = {}
) => {
  const sandbox = await startSandbox({ like, settings })
  const cwd = workspace(sandbox, { "config.yaml": await change(configText(sandbox), sandbox) })
  const limitbot = (...words: ReadonlyArray<string>) => startHere([...words, "--config", "config.yaml"], { cwd }).ended
  return { sandbox, cwd, limitbot }
}

/** Where a test can say which requests get no answer. */
const throughProxy = async (like: ProfileName) => {
  let hold: Awaited<ReturnType<typeof recordingProxy>>["hold"] = () => {}
  const place = await prepare(like, async (text, { url }) => {
    const proxy = await recordingProxy(url)
    proxies.push(proxy)
    hold = proxy.hold
    return text.replace(url, proxy.url)
  })
  return { ...place, hold }
}

/** However slow the machine is, it comes no further than to this request. */
const killedAt = async (cwd: string, hold: (path?: string) => void, path: string, says: RegExp) => {
  hold(path)
  const killed = start(["first-order", "--yes", "--config", "config.yaml"], { cwd })
  await killed.says(says)
  process.kill(killed.pid, "SIGKILL")
  assert.strictEqual((await killed.ended).code, null)
  hold()
}

interface Report {
  readonly order: string
  readonly placement: string
  readonly outcome: string
  readonly cost: string
  readonly differences: ReadonlyArray<string>
}

const proxies: Array<{ readonly close: () => Promise<void> }> = []
atEndOfFiles(async () => void (await Promise.all(proxies.splice(0).map((proxy) => proxy.close()))))

const reportIn = (stdout: string): Report => JSON.parse(stdout.trim().split("\n").at(-1) ?? "")

const statusesAt = async (sandbox: Connection) => (await ordersAt(sandbox)).map(({ status }) => status)

describe.concurrent("limitbot first-order", () => {
  it.skipIf(!isLong).each(profileNames)(
    "places the smallest order, cancels it once it is open, follows the refund and reports: %s",
    async (like) => {
      const { cwd, limitbot, sandbox } = await prepare(like)
      const done = await limitbot("first-order", "--confirm", "place")
      assert.strictEqual(done.code, 0, `${done.stdout}\n${done.stderr}`)
      assert.match(done.stdout, /^ok +key: signs for /m)
      assert.match(done.stdout, /^ok +service: /m)
      assert.match(done.stdout, /\+ buy-[0-9a-f]{8} +BUY .*BTC +at +[23]\d{4}(\.\d+)? +locks/)
      const fee = factsOf(like, "intents.near").fees.flat === "chains" ? "0" : "0.02"
      assert.match(
        done.stdout,
        new RegExp(`^First order buy-[0-9a-f]{8}: settled\n +cost +${fee.replace(".", "\\.")} USDC`, "m")
      )
      assert.match(done.stdout, /differences +none/)
      assert.deepStrictEqual(await statusesAt(sandbox), ["CANCELED"])
      const evidence = await limitbot("orders", "p1", "--offline", "--out", join(cwd, "evidence.json"))
      assert.strictEqual(evidence.code, 0, evidence.stderr)
    }
  )

  it("moves nothing without a yes", async () => {
    const { cwd, limitbot, sandbox } = await prepare("document")
    assertSays(await limitbot("first-order"), 2, /add --yes to accept/)
    assertSays(await limitbot("first-order", "--confirm", "yes"), 2, /the word is "place"/)
    const shown = await limitbot("first-order", "--dry")
    assert.strictEqual(shown.code, 0, shown.stderr)
    assert.match(shown.stdout, /\+ buy-[0-9a-f]{8} +BUY/)
    assert.deepStrictEqual(await ordersAt(sandbox), [])
    assert.isFalse(existsSync(join(cwd, "journal.sqlite")))
  })

  it("plans another order once the strategy of the first one is closed", async () => {
    const { cwd, limitbot } = await prepare("document")
    const strategy = "by-hand-btc-usdc"
    const id = (number: number) => `buy-${ByHand.hashOf(`first-order ${number}`)}`
    const rule = '{ when: "close >= 0", side: buy, price: 30000, size: { base: 0.0001 }, times: 1 }'
    writeFileSync(
      join(cwd, `journal.sqlite.${strategy}.yaml`),
      `name: ${strategy}\nmarket: BTC/USDC\nkind: rules\nlimits:\n  budget: { quote: 3 }\nrules:\n  orders:\n    ${id(1)}: ${rule}\n`
    )
    const [price, why] = [Decimal.make(60_000n), { code: "period-over", text: "it was closed" }]
    const events: ReadonlyArray<BotEvent> = [
      { _tag: "StrategyLoaded", strategy, market: "BTC/USDC", file: "f", kind: "rules", hash: "1", text: "" },
      {
        ...{ _tag: "Decided", strategy, bid: price, ask: price, priceAt: 1, desired: [], reasons: [], memory: null },
        ...{ absent: [{ slot: id(1), why }], until: { onFill: true } }
      }
    ]
    await Effect.runPromise(
      Journal.use(({ append }) => append(events)).pipe(
        Effect.provide(Layer.provide(Journal.layer, Sqlite.layer({ filename: join(cwd, "journal.sqlite") })))
      )
    )
    const shown = await limitbot("first-order", "--dry")
    assert.include(shown.stdout, id(2), shown.stderr)
    assert.notInclude(shown.stdout, "was placed before")
  })

  it.skipIf(!isLong)("continues with the same order after a kill at any step, and pays once", async () => {
    const { cwd, hold, limitbot, sandbox } = await throughProxy("near-2026-11")
    for (const [path, says] of [
      ["/generate-intent", /charges a fee/],
      ["/submit-intent", /signed [\d.]+ USDC/],
      ["/cancel", /cancels: The order was cancelled by hand/]
    ] as const)
      await killedAt(cwd, hold, path, says)
    const done = await limitbot("first-order", "--yes", "--json")
    const { differences, outcome } = reportIn(done.stdout)
    assert.deepStrictEqual([done.code, outcome, differences], [0, "settled", []], done.stderr)
    assert.deepStrictEqual(await statusesAt(sandbox), ["CANCELED"])
    const profit = JSON.parse((await limitbot("profit", "--json")).stdout)
    // Refunds inside the deployed service are free.
    assert.strictEqual(Number(profit.USDC.fees), 0)
    assert.strictEqual((await limitbot("reconcile", "--json")).code, 0)
  })

  it.skipIf(!isLong)("creates nothing if a check fails", async () => {
    const refusals = [
      {
        like: "near-2026-11",
        why: /login: the balances cannot be read: /,
        change: (text: string) => text.replace(/ {2}facts:.*/, '  nonceSalt: "00000000"')
      },
      {
        like: "document",
        why: /clock: about \d+ s ahead of the venue's/,
        change: async (text: string, { url }: Connection) => {
          const proxy = await recordingProxy(url, "", 3_600_000)
          proxies.push(proxy)
          return text.replace(url, proxy.url)
        }
      },
      {
        like: "document",
        why: /venue: .* does not answer/,
        change: (text: string) => text.replace(/url: .*/, "url: http://127.0.0.1:1")
      },
      {
        like: "document",
        why: /the key of the account|account\.key/i,
        change: (text: string) => text.replace("account.key", "api.key")
      },
      { like: "document", why: /MARKET: there is no DOGE\/USDC; .*BTC, USDC/, words: ["DOGE/USDC"] }
    ] as const
    for (const { like, why, ...how } of refusals) {
      const { cwd, limitbot, sandbox } = await prepare(like, "change" in how ? how.change : undefined)
      const words = "words" in how ? how.words : []
      const refused = await limitbot("first-order", "--yes", ...words)
      assert.notStrictEqual(refused.code, 0, refused.stdout)
      assert.match(refused.stderr, why, refused.stdout)
      assert.deepStrictEqual(await ordersAt(sandbox), [])
      assert.isFalse(existsSync(join(cwd, "journal.sqlite")))
    }
  })

  it("refuses a changed service, and reports a field of its order that is gone", async () => {
    const at = async (rewrite: (path: string, body: string) => string) =>
      prepare("near-2026-11", async (text, { url }) => {
        const proxy = await recordingProxy(url, "", 0, rewrite)
        proxies.push(proxy)
        return text.replace(url, proxy.url)
      })
    const unlisted = await at((path, body) => (path === "/v0/orders" ? body.replace('"data":[]', '"orders":[]') : body))
    assertSays(
      await unlisted.limitbot("first-order", "--yes"),
      1,
      /fix this first: .*service: the service has changed: .*field `data` of lists of orders is gone/
    )
    assert.deepStrictEqual(await ordersAt(unlisted.sandbox), [])
    assert.isFalse(existsSync(join(unlisted.cwd, "journal.sqlite")))
  })

  it("refuses without money in the paying account, and says how to deposit it", async () => {
    const { cwd, limitbot, sandbox } = await prepare("near-2026-11")
    const made = await startHere(["signer", "key", "--out", join(cwd, "new.key")]).ended
    assert.strictEqual(made.code, 0, made.stderr)
    writeFileSync(join(cwd, "account.key"), readFileSync(join(cwd, "new.key")))
    assertSays(
      await limitbot("first-order", "--yes"),
      1,
      /needs 2\.2\d* USDC in the confidential account, which has 0 USDC \(limitbot swap --to confidential/
    )
    assert.deepStrictEqual(await ordersAt(sandbox), [])
  })

  it.skipIf(!isLong)("pays nothing if the venue requires a larger order, and tries again with one", async () => {
    const { limitbot } = await prepare("document", undefined, { minOrderUsd: 50 })
    const small = await limitbot("first-order", "--yes")
    assertSays(small, 1, /was not paid, and nothing moved.*--usd/)
    const larger = await limitbot("first-order", "--yes", "--usd", "50", "--json")
    assert.strictEqual(larger.code, 0, larger.stderr)
    assert.strictEqual(reportIn(larger.stdout).outcome, "settled")
  })

  it.skipIf(!isLong)("is refused under the kill switch, and placed by the bot that runs", async () => {
    const { cwd, limitbot } = await prepare("document", (text) => `${text}dashboard: { port: 0 }\n`)
    assert.strictEqual((await limitbot("kill", "a test")).code, 0)
    assertSays(await limitbot("first-order", "--yes"), 1, /the kill switch is on \(a test/)
    await limitbot("kill", "--off")
    const bot = startHere(["run", "grid.yaml", "--json", "--config", "config.yaml"], { cwd })
    await bot.says('"DepositSeen"')
    const done = await limitbot("first-order", "--yes")
    assert.match(done.stdout, /^First order buy-[0-9a-f]{8}: settled/m, done.stderr)
    bot.signal("SIGTERM")
    await bot.ended
    assertSays(await limitbot("first-order", "--yes"), 1, /No bot runs, and "grid" .*Start the bot with its files/)
  })
})
