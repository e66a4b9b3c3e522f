/**
 * The first real order: checked, shown, agreed to by a typed word, placed, read back, cancelled, refunded and told, over the real
 * HTTP path. Nothing is paid where a check fails, and nothing is paid twice, wherever the process dies.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { factsOf, type ProfileName, profileNames } from "../../../src/venue/profile/Profiles.ts"
import { limitbot as program } from "../../builtProgram.ts"
import { atEndOfFiles } from "../../endOfFile.ts"
import { firstOf, isLong } from "../../long.ts"
import {
  assertSays,
  type Connection,
  configText,
  gridText,
  ordersAt,
  start,
  startHere,
  startSandbox,
  workspace
} from "../../world/processes/program.ts"
import { recordingProxy } from "../../world/processes/recordingProxy.ts"
import { hasTerminals, open } from "../../world/processes/terminal.ts"

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
  const killed = start(["first-order", "--confirm", "place", "--config", "config.yaml"], { cwd })
  await killed.says(says)
  process.kill(killed.pid, "SIGKILL")
  assert.strictEqual((await killed.ended).code, null)
  hold()
}

interface Report {
  readonly outcome: string
  readonly order: { readonly id: string }
  readonly cost: ReadonlyArray<{ readonly asset: string; readonly amount: string }>
  readonly compared: ReadonlyArray<{ readonly what: string; readonly isAsExpected: boolean }>
  readonly differences: ReadonlyArray<string>
  readonly timeline: ReadonlyArray<{ readonly _tag: string }>
}

/** What an order that was paid back says of itself, and what one that rests does. */
const refunded = /"fillStatus":"CANCELED","payoutStatus":"COMPLETED","isPayoutStatusFinal":true,"payouts":\{.*?\}\}/
const living =
  '"fillStatus":"OPEN","payoutStatus":"NOT_STARTED","isPayoutStatusFinal":false,"payouts":{"withdrawal":null,"allWithdrawals":[],"refund":null}'

const proxies: Array<{ readonly close: () => Promise<void> }> = []
atEndOfFiles(async () => void (await Promise.all(proxies.splice(0).map((proxy) => proxy.close()))))

const reportIn = (cwd: string, placement = ".*"): Report => {
  const isReport = new RegExp(`^journal\\.first-order-${placement}\\.json$`)
  const name = readdirSync(cwd).find((file) => isReport.test(file)) ?? ""
  return JSON.parse(readFileSync(join(cwd, name), "utf8"))
}

describe.concurrent("limitbot first-order", () => {
  it.each(firstOf(1, profileNames))(
    "places the smallest order, reads it back, cancels it, follows the refund and reports: %s",
    async (like) => {
      const { cwd, limitbot, sandbox } = await prepare(like)
      const done = await limitbot("first-order", "--confirm", "place")
      assert.strictEqual(done.code, 0, `${done.stdout}\n${done.stderr}`)
      assert.match(done.stdout, /^ok +key: signs for /m)
      assert.match(done.stdout, /^order +BUY .*BTC at /m)
      const fee = factsOf(like, "intents.near").fees.flat === "chains" ? "0" : "0.02"
      assert.match(
        done.stdout,
        new RegExp(`nothing is paid yet\\..*\\n +${fee.replace(".", "\\.")} USDC for the refund`)
      )
      assert.match(done.stdout, new RegExp(`cost +${fee.replace(".", "\\.")} USDC`))
      assert.match(done.stdout, /differences +none/)
      const { compared, cost, differences, order, outcome } = reportIn(cwd)
      assert.deepStrictEqual([outcome, differences], ["settled", []])
      assert.deepStrictEqual(cost, [{ asset: "USDC", amount: fee }])
      assert.includeMembers(
        compared.map(({ what }) => what),
        ["terms of the order", "deposited", "status at the end", "fills", "refunded", "app fees in its echo"]
      )
      assert.isTrue(compared.every(({ isAsExpected }) => isAsExpected))
      const orders = await ordersAt(sandbox)
      assert.deepStrictEqual(
        orders.map(({ status }) => status),
        ["CANCELED"]
      )
      assert.include(JSON.stringify(await (await fetch(`${sandbox.url}/sandbox/books`)).json()), order.id)

      // It is an order of this journal like any other.
      const evidence = await limitbot("orders", order.id, "--offline", "--out", join(cwd, "evidence.json"))
      assert.strictEqual(evidence.code, 0, evidence.stderr)
    }
  )

  it("moves nothing without the confirmation", async () => {
    const { cwd, limitbot, sandbox } = await prepare("document")
    assertSays(await limitbot("first-order"), 2, /--confirm place/)
    assertSays(await limitbot("first-order", "--confirm", "yes"), 2, /the word is "place"/)
    const shown = await limitbot("first-order", "--dry")
    assert.strictEqual(shown.code, 0, shown.stderr)
    assert.match(shown.stdout, /^order +BUY/m)
    assert.deepStrictEqual(await ordersAt(sandbox), [])
    assert.isFalse(existsSync(join(cwd, "journal.sqlite")))
  })

  it.skipIf(!isLong)("continues with the same order after a kill at any step, and pays once", async () => {
    const { cwd, hold, limitbot, sandbox } = await throughProxy("near-2026-11")
    for (const [path, says] of [
      ["/generate-intent", /nothing is paid yet/],
      ["/submit-intent", /signed [\d.]+ USDC/],
      ["/cancel", /the order is open/]
    ] as const) {
      await killedAt(cwd, hold, path, says)
      assert.throws(() => reportIn(cwd))
      // The balance of then is compared with that of the end.
      if (path === "/generate-intent") assert.strictEqual((await limitbot("reconcile")).code, 0)
    }
    // It was agreed to, so nobody needs to say so again.
    const done = await limitbot("first-order")
    assert.strictEqual(done.code, 0, `${done.stdout}\n${done.stderr}`)
    assert.match(done.stdout, /Continues with the first order p1/)
    const { differences, outcome, timeline } = reportIn(cwd)
    assert.deepStrictEqual([outcome, differences], ["settled", []])
    const reconciled = await limitbot("reconcile", "--json")
    assert.strictEqual(reconciled.code, 0, reconciled.stdout)
    const signed = timeline.filter(({ _tag }) => _tag === "FundingSigned")
    assert.strictEqual(signed.length, 1)
    const orders = await ordersAt(sandbox)
    assert.deepStrictEqual(
      orders.map(({ status }) => status),
      ["CANCELED"]
    )
    const profit = JSON.parse((await limitbot("profit", "--json")).stdout)
    // Refunds inside the deployed service are free.
    assert.strictEqual(Number(profit.USDC.fees), 0)
    const balances = JSON.parse((await limitbot("money", "--at-venue", "--json")).stdout).balances as ReadonlyArray<{
      readonly asset: string
      readonly amount: string
    }>
    assert.strictEqual(balances.find(({ asset }) => asset === "USDC")?.amount, "1000000")
  })

  it.skipIf(!isLong)("creates nothing if a check fails", async () => {
    const refusals = [
      {
        like: "near-2026-11",
        why: /fix this first: login: /,
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
      { like: "document", why: /MARKET: there is no DOGE\/USDC; .*BTC, USDC/, words: ["DOGE/USDC"] },
      {
        like: "document",
        why: /Cannot place a first order: USDC is paid from another chain.*/,
        change: (text: string) =>
          text.replace(
            "account.key }",
            "account.key }\n  depositType: ORIGIN_CHAIN\n  recipients: { BTC: a, USDC: b }\n  refundTo: { BTC: c, USDC: d }"
          )
      }
    ] as const
    for (const { like, why, ...how } of refusals) {
      const { cwd, limitbot, sandbox } = await prepare(like, "change" in how ? how.change : undefined)
      const words = "words" in how ? how.words : []
      const refused = await limitbot("first-order", "--confirm", "place", ...words)
      assert.notStrictEqual(refused.code, 0, refused.stdout)
      assert.match(refused.stderr, why, refused.stdout)
      assert.deepStrictEqual(await ordersAt(sandbox), [])
      assert.isFalse(existsSync(join(cwd, "journal.sqlite")))
    }
  })

  it("refuses a changed service, before it creates an order and before it pays one", async () => {
    const at = async (rewrite: (path: string, body: string) => string) =>
      prepare("near-2026-11", async (text, { url }) => {
        const proxy = await recordingProxy(url, "", 0, rewrite)
        proxies.push(proxy)
        return text.replace(url, proxy.url)
      })
    const unlisted = await at((path, body) => (path === "/v0/orders" ? body.replace('"data":[]', '"orders":[]') : body))
    const refused = await unlisted.limitbot("first-order", "--confirm", "place")
    assertSays(
      refused,
      1,
      /fix this first: .*service: the service has changed: .*field `data` of lists of orders is gone/
    )
    assert.deepStrictEqual(await ordersAt(unlisted.sandbox), [])
    assert.isFalse(existsSync(join(unlisted.cwd, "journal.sqlite")))

    // The refund of this order cannot be seen, so it is not paid.
    const hidden = await at((path, body) =>
      path.startsWith("/v0/orders") ? body.replaceAll('"refund":', '"moneyBack":') : body
    )
    const unpaid = await hidden.limitbot("first-order", "--confirm", "place")
    assertSays(unpaid, 1, /not paid, and nothing moved: .*field `payouts.refund` of orders is gone .*: orders pause/)
    const orders = await ordersAt(hidden.sandbox)
    assert.isTrue(orders.every(({ status }) => status === "CANCELED" || status === "PENDING_CANCEL"))
  })

  it("refuses without money in the paying account, and says how to deposit it", async () => {
    const { cwd, limitbot, sandbox } = await prepare("near-2026-11")
    const made = await startHere(["signer", "key", "--out", join(cwd, "new.key")]).ended
    assert.strictEqual(made.code, 0, made.stderr)
    writeFileSync(join(cwd, "account.key"), readFileSync(join(cwd, "new.key")))
    assertSays(
      await limitbot("first-order", "--confirm", "place"),
      1,
      /needs 2\.2\d* USDC in the confidential account, which has 0 USDC \(limitbot swap --to confidential/
    )
    assert.deepStrictEqual(await ordersAt(sandbox), [])
  })

  it.skipIf(!isLong)("pays nothing if the venue requires a larger order, and tries again with one", async () => {
    const { cwd, limitbot } = await prepare("document", undefined, { minOrderUsd: 50 })
    const small = await limitbot("first-order", "--confirm", "place")
    assertSays(small, 1, /was not paid, and nothing moved: .*minimum of 50 USD.*--usd/)
    assert.strictEqual(reportIn(cwd).outcome, "not paid")
    rmSync(join(cwd, "journal.first-order-p1.json"))
    const again = await limitbot("first-order", "--confirm", "place", "--usd", "50")
    assert.match(again.stdout, /Continues with the first order p1/)
    const larger = await limitbot("first-order", "--confirm", "place", "--usd", "50", "--json")
    assert.strictEqual(larger.code, 0, larger.stderr)
    assert.strictEqual(JSON.parse(larger.stdout).outcome, "settled")
  })

  it.skipIf(!isLong)(
    "leaves a journal alone that is in use, or under the kill switch",
    {
      timeout: 120_000
    },
    async () => {
      const { cwd, limitbot } = await prepare("document")
      assert.strictEqual((await limitbot("kill", "a test")).code, 0)
      assertSays(await limitbot("first-order", "--confirm", "place"), 1, /kill switch: it is on: a test/)
      await limitbot("kill", "--off")
      const bot = startHere(["run", "grid.yaml", "--json", "--config", "config.yaml"], { cwd })
      await bot.says('"DepositSeen"')
      assertSays(await limitbot("first-order", "--confirm", "place"), 1, /process: process \d+ works with the journal/)
      bot.signal("SIGTERM")
      await bot.ended
      assertSays(await limitbot("first-order", "--confirm", "place"), 1, /has \d+ orders under way, of "grid"/)
    }
  )

  it.skipIf(!isLong)(
    "does not place a second order while the first one lives on, and reports both",
    {
      timeout: 120_000
    },
    async () => {
      let isLying = false
      const { cwd, limitbot } = await prepare("document", async (text, { url }) => {
        const proxy = await recordingProxy(url, "", 0, (path, body) =>
          isLying && path.startsWith("/v0/orders") ? body.replace(refunded, living) : body
        )
        proxies.push(proxy)
        return text.replace(url, proxy.url)
      })
      const tried = await limitbot("first-order", "--confirm", "place")
      assert.match(tried.stdout, /differences +none/, tried.stderr)
      isLying = true
      // So soon after its end nobody believes that it lives on; nothing is paid meanwhile either.
      await setTimeout(5_000)
      const second = await limitbot("first-order", "--confirm", "place")
      assertSays(second, 1, /First order p1: order .* ended CANCELED, but the venue still shows it OPEN/)
      assert.match(second.stdout, /^First order p1: open(?:\n.*)* DIFFERENCE +.*still shows it OPEN/m)
      assert.notMatch(second.stdout, /everything was as expected/)
      const [first, next] = ["p1", "p2"].map((placement) => reportIn(cwd, placement))
      assert.deepStrictEqual([first?.outcome, next?.outcome], ["open", "not paid"])
      assert.deepStrictEqual(first?.cost, [{ asset: "USDC", amount: "0" }])
      assert.isAbove(first?.differences.length ?? 0, 0)
      assert.notIncludeMembers(next?.timeline.map(({ _tag }) => _tag) ?? [], ["CreateSent", "FundingSigned"])
    }
  )

  it.skipIf(!hasTerminals() || !isLong)("waits for the confirmation at a terminal", async () => {
    const { cwd, limitbot, sandbox } = await prepare("document")
    const command = `"${process.execPath}" "${program}" first-order --config config.yaml`
    for (const [typed, outcome] of [
      ["yes", /not paid, and nothing moved: .*the word was not typed/],
      ["place", /differences +none/]
    ] as const) {
      const terminal = open(command, { cwd, columns: 160, rows: 50, environment: { PATH: process.env["PATH"] } })
      await terminal.shows(/Type "place"/)
      terminal.press(`${typed}\r`)
      await terminal.shows(outcome)
      await terminal.ended
    }
    const orders = await ordersAt(sandbox)
    assert.deepStrictEqual(
      orders.map(({ status }) => status),
      ["CANCELED", "CANCELED"]
    )
    const profit = JSON.parse((await limitbot("profit", "--json")).stdout)
    assert.strictEqual(Number(profit.USDC.fees), 0.02)
  })

  it.skipIf(!isLong)("alone pays its order: a running bot abandons it unpaid", async () => {
    const { cwd, hold, limitbot, sandbox } = await throughProxy("document")
    await killedAt(cwd, hold, "/generate-intent", /nothing is paid yet/)
    writeFileSync(join(cwd, "grid.yaml"), gridText.replace("levels: 21", "levels: 2"))
    const bot = startHere(["run", "grid.yaml", "--json", "--cancel-on-exit", "--config", "config.yaml"], { cwd })
    await bot.says('"Abandoned"')
    bot.signal("SIGTERM")
    await bot.ended
    const over = await limitbot("first-order")
    assertSays(over, 1, /not paid, and nothing moved: .*only limitbot first-order/)
    const profit = JSON.parse((await limitbot("profit", "--json", "--by", "strategy")).stdout)
    assert.notInclude(JSON.stringify(profit), "first order")
    assert.isAbove((await ordersAt(sandbox)).length, 0)
  })
})
