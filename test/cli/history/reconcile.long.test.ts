/** `limitbot reconcile` after runs of every deposit type: nothing contradicts, and something does when money is really missing. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { firstOf } from "../../long.ts"
import { writeDoubtfulAt } from "../../world/bot/doubtful.ts"
import {
  assertSays,
  configText,
  control,
  ordersAt,
  runHere,
  runUntil,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"
import { orderBody } from "../../world/service/clients.ts"

const config = ["--config", "config.yaml"]

const accounts: Readonly<Record<string, string>> = {
  INTENTS: "",
  CONFIDENTIAL_INTENTS: "\n  depositType: CONFIDENTIAL_INTENTS",
  ORIGIN_CHAIN: `
  depositType: ORIGIN_CHAIN
  wallet: { sandbox: true }
  recipients: { BTC: bc1qtheirs, USDC: usdc-address }
  refundTo: { BTC: bc1qours, USDC: usdc-refunds }`
}

interface Reconciled {
  readonly contradiction: number
  readonly witnesses: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
  readonly findings: ReadonlyArray<{
    readonly verdict: string
    readonly kind: string
    readonly subject: string
    readonly text: string
  }>
}

interface Problem {
  readonly kind: string
  readonly placement: string
}

const reconcile = async (cwd: string) => {
  const { code, stderr, stdout } = await runHere(["reconcile", "--json", ...config], { cwd })
  const said: Reconciled = JSON.parse(stdout)
  return { code, stderr, ...said }
}

describe.concurrent("reconcile", () => {
  it.each(firstOf(1, Object.entries(accounts)))("agrees for an account of %s", async (depositType, lines) => {
    const sandbox = await startStill({ like: "document" })
    const text = configText(sandbox).replace("key: { file: account.key }", `$&${lines}`)
    const cwd = workspace(sandbox, { "config.yaml": text })
    const first = await reconcile(cwd)
    assert.strictEqual(first.contradiction, 0)
    const bot = startHere(["run", "grid.yaml", "--json", "--cancel-on-exit", ...config], { cwd })
    await bot.says('"DepositSeen"', 20)
    await control(sandbox, "prices", { "BTC/USDC": 59_950 })
    // On another chain the payout does not come back to the account, and nothing is sold again.
    if (depositType !== "ORIGIN_CHAIN") await bot.says('"DepositSeen"', 21)
    bot.signal("SIGTERM")
    const traded = await bot.ended
    assert.strictEqual(traded.code, 0, traded.stderr)

    const after = await reconcile(cwd)
    assert.strictEqual(after.code, 0, JSON.stringify(after.findings.filter(({ verdict }) => verdict !== "agrees")))
    assert.lengthOf(
      after.findings.filter(({ kind }) => kind === "order"),
      depositType === "ORIGIN_CHAIN" ? 20 : 21
    )
    const keys = new Set(after.findings.map((finding) => Object.keys(finding).sort().join()))
    assert.strictEqual(keys.size, 1, "what is not there is null")
    const isPrivate = depositType === "CONFIDENTIAL_INTENTS"
    assert.deepStrictEqual(after.witnesses, ["orders", "history", ...(isPrivate ? ["private balances"] : [])])
    assert.lengthOf(after.missing, isPrivate ? 0 : 1, "it says which witness it has not")

    if (depositType === "INTENTS") {
      // A journal in which the payment of one of these orders is in doubt, and one to an address that nobody knows.
      const elsewhere = workspace(sandbox, { "config.yaml": text })
      const paid = new DatabaseSync(join(cwd, "journal.sqlite"), { readOnly: true })
        .prepare(
          "SELECT body ->> 'depositAddress' AS address FROM journal WHERE event = 'Bound' AND placement IN (SELECT placement FROM journal WHERE event = 'DepositSeen') LIMIT 1"
        )
        .get()
      await writeDoubtfulAt(join(elsewhere, "journal.sqlite"), [String(paid?.["address"]), "nowhere"])
      const problems = async () =>
        JSON.parse((await runHere(["resolve", "--json", ...config], { cwd: elsewhere })).stdout)
      assert.lengthOf((await problems()).problems, 2)
      const proof = JSON.parse(
        (await runHere(["reconcile", "--resolve", "--json", ...config], { cwd: elsewhere })).stdout
      )
      assert.deepStrictEqual(
        proof.proven.map(({ placement, word }: { placement: string; word: string }) => [placement, word]),
        [["p1", "paid"]]
      )
      // It waits for its deposit now, for as long as that takes.
      const left = (await problems()).problems.map(({ kind, placement }: Problem) => `${placement} ${kind}`)
      assert.deepStrictEqual(left, ["p1 stuck", "p2 in-doubt"])
    }

    // Another journal of the same account leaves an order that rests.
    const other = workspace(sandbox, {
      "config.yaml": text,
      "high.yaml": `name: high
market: BTC/USDC
kind: ladder
limits: { budget: { base: 0.01 } }
ladder: { side: sell, from: 90000, to: 91000, rungs: 2, total: { base: 0.01 } }
`
    })
    const taken = await runUntil(
      '"DepositSeen"',
      2,
      ["run", "high.yaml", "--json", ...config],
      { cwd: other },
      startHere
    )
    assert.strictEqual(taken.code, 0, taken.stderr)
    const missing = await reconcile(cwd)
    assert.strictEqual(missing.code, 1)
    const texts = missing.findings.filter(({ verdict }) => verdict === "contradiction").map(({ text: why }) => why)
    assert.match(texts[0] ?? "", /contains money of this account/)
    if (depositType === "ORIGIN_CHAIN") {
      // A running bot finds them by itself, and leaves them alone.
      const often = text.replace(/ {2}partnerJwt.*\n/, "").concat("reconcileEvery: 1s\n")
      writeFileSync(join(cwd, "often.yaml"), often, { mode: 0o600 })
      const watch = ["run", "grid.yaml", "--json", "--config", "often.yaml"]
      const watching = await runUntil('"Reconciled"', 1, watch, { cwd }, startHere)
      assert.strictEqual(watching.code, 0, watching.stderr)
      const events = watching.stdout.split("\n").filter((line) => line.includes('"Reconciled"'))
      assert.lengthOf(events, 1)
      assert.lengthOf(JSON.parse(events[0] ?? "").foreign, 2)
    }
    if (!isPrivate) return
    assert.match(texts.at(-1) ?? "", /^moved by -\d+, the journal explains 0$/)

    // Nobody touches them by himself. By name, one is cancelled and the other taken in.
    const strangers = missing.findings.flatMap(({ subject, text: why }) =>
      /contains money/.test(why) ? [subject] : []
    )
    const [gone = "", kept = ""] = strangers
    assert.lengthOf(strangers, 2)
    const resting = async () => (await ordersAt(sandbox)).filter(({ status }) => status === "OPEN").length
    assert.strictEqual(await resting(), 2)
    const by = (...flags: ReadonlyArray<string>) => runHere(["reconcile", ...flags, ...config], { cwd })
    const books = async () => JSON.parse((await runHere(["money", "--json", ...config], { cwd })).stdout)
    const before = await books()
    const cancelled = await by("--cancel", gone)
    assert.strictEqual(cancelled.code, 0, cancelled.stderr)
    assert.include(cancelled.stdout, `${gone}: cancel sent`)
    assert.deepStrictEqual((await books()).places, before.places, "what comes back is not the journal's money")
    const adopted = await by("--adopt", kept)
    assert.strictEqual(adopted.code, 0, adopted.stderr)
    assertSays(await by("--adopt", kept), 1, /is an order of this journal/)
    // An order without money would be paid for by whoever has it in his journal.
    const { apiKey, account } = sandbox
    const made = await fetch(`${sandbox.url}/v0/orders`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify(orderBody({ recipient: account.signerId, refundTo: account.signerId }))
    })
    const empty: { readonly data: { readonly id: string } } = await made.json()
    assertSays(await by("--adopt", empty.data.id), 1, /holds no money/)
    const held = (await books()).places.find(({ place }: { place: string }) => place === "in order")
    assert.deepInclude(held, { asset: "BTC", amount: "0.005" })
    assert.strictEqual(await resting(), 1)
    // The balance knows of what was adopted. What the cancelled order paid for its refund is nobody's here, until that is accepted.
    const contradictions = async () =>
      (await reconcile(cwd)).findings.flatMap(({ text: why, verdict }) => (verdict === "contradiction" ? [why] : []))
    let wrong = await contradictions()
    // Its refund takes its time, and may come after the balances were read and before the orders are.
    const isOnItsWay = (why: string) => /contains money/.test(why) || why.startsWith("moved by -1000000,")
    for (let looks = 0; wrong.some(isOnItsWay) && looks < 20; looks += 1) wrong = await contradictions()
    assert.deepStrictEqual(wrong, ["moved by -500030, the journal explains -500000"])
    assert.strictEqual((await by("--accept-balances")).code, 0)
    assertSays(await by("--adopt", gone), 1, /its money is already back/)

    // The bot looks after it until its money is back.
    const back = await runHere(["run", "grid.yaml", "--for", "1s", "--cancel-on-exit", ...config], { cwd })
    assert.strictEqual(back.code, 0, back.stderr)
    assert.strictEqual(await resting(), 0)
    const { places, unexplained } = await books()
    assert.deepStrictEqual(unexplained, { BTC: "0", USDC: "0" })
    assert.deepStrictEqual(
      places.filter(({ place }: { place: string }) => place === "in order"),
      []
    )
    assert.strictEqual((await reconcile(cwd)).code, 0)
  })
})
