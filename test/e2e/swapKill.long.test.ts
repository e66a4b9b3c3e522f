/**
 * Swaps and wallet programs as processes, killed with SIGKILL at each stage: whatever dies when, nothing is paid twice, a
 * program of the user's is not run twice without a word, and the operator is told what to do.
 */
import { once } from "node:events"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import {
  type Connection,
  configure,
  kill9,
  newFolder,
  type Program,
  pause,
  randomFrom,
  start
} from "../world/processes/processes.ts"
import { runHere, startHere, startStill } from "../world/processes/program.ts"
import { type Cut, cuttingProxy } from "./cuttingProxy.ts"

const kills = Number(process.env["LIMITBOT_KILLS"] ?? 0)
const seed = Number(process.env["LIMITBOT_SEED"] ?? Date.now() % 1_000_000)

let sandbox: { readonly connection: Connection }

beforeAll(async () => {
  // A busy bot looks at a swap once in some seconds, and has to see it being processed.
  sandbox = { connection: await startStill({ seed: 11, settings: { swapMillis: [10_000, 12_000] } }) }
})
/** A wallet outlives whoever asked it, and waits for ever where a test is about that. */
const wallets = new Set<string>()
afterAll(async () => {
  for (const call of [...wallets].flatMap(callsIn)) {
    try {
      process.kill(Number(call.split(" ")[1]), "SIGKILL")
    } catch {
      // It has ended.
    }
  }
})

const senderOf = (folder: string): string => `sender-${basename(folder).toLowerCase()}`

/** Pays by the sandbox's ledger, but only once `go` exists; every start of it leaves a line in `calls`. */
const walletScript = (folder: string): string => {
  const path = join(folder, "wallet.mjs")
  wallets.add(folder)
  writeFileSync(
    path,
    `#!${process.execPath}
import { appendFileSync, existsSync } from "node:fs"
let input = ""
for await (const part of process.stdin) input += part
const { amount, asset, depositAddress, reference } = JSON.parse(input)
appendFileSync(${JSON.stringify(join(folder, "calls"))}, reference + " " + process.pid + "\\n")
while (!existsSync(${JSON.stringify(join(folder, "go"))})) await new Promise((done) => setTimeout(done, 20))
const answer = await fetch(${JSON.stringify(sandbox.connection.url)} + "/sandbox/deposit", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ depositAddress, asset: asset.id, amount, sender: ${JSON.stringify(senderOf(folder))} })
})
console.log(JSON.stringify({ txHash: (await answer.json()).txHash, sender: ${JSON.stringify(senderOf(folder))} }))
`
  )
  chmodSync(path, 0o755)
  return path
}

/** Reference and process of every time that the program was started. */
const callsIn = (folder: string): ReadonlyArray<string> => {
  const file = join(folder, "calls")
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []
}

const prepare = (account: string, url = sandbox.connection.url) => {
  const folder = newFolder()
  return { folder, config: configure(folder, { ...sandbox.connection, url }, { account }) }
}

const onChain = (folder: string) => `  depositType: ORIGIN_CHAIN
  wallet: { command: ["${walletScript(folder)}"] }
  recipients: { BTC: bc1qme, USDC: usdc-me }
  refundTo: { BTC: bc1qme, USDC: usdc-me }`

/** In satoshi: what the account has, or what came in from outside. */
const held = async (account: string, place: string): Promise<bigint> => {
  const books = (await (await fetch(`${sandbox.connection.url}/sandbox/books`)).json()) as {
    readonly accounts: Record<string, Record<string, Record<string, string>>>
    readonly imbalances: ReadonlyArray<string>
  }
  assert.deepStrictEqual(books.imbalances, [])
  return BigInt(books.accounts[account]?.["BTC"]?.[place] ?? "0")
}

const eventOf = (line: string): string => (JSON.parse(line) as { readonly event: string }).event
/** Without waiting for its wallet, which has inherited the standard error. */
const kill = async ({ child }: Program): Promise<void> => {
  const dead = once(child, "exit")
  child.kill("SIGKILL")
  await dead
}

const until = async (what: string, isTrue: () => boolean): Promise<void> => {
  // A busy machine takes long to start two programs.
  for (const begun = performance.now(); !isTrue() && performance.now() - begun < 300_000; ) await pause(20)
  assert.isTrue(isTrue(), what)
}

const resuming = (config: string, swap: string) => ["swap", "--resume", swap, "--config", config, "--json"]

const finish = async (config: string, swap: string): Promise<ReadonlyArray<string>> => {
  const { code, stderr, stdout } = await startHere(resuming(config, swap)).ended
  assert.strictEqual(code, 0, stderr)
  const lines = stdout.trim().split("\n")
  const summary = JSON.parse(lines.at(-1) ?? "{}") as { readonly outcome: string; readonly swap: string }
  assert.strictEqual(summary.outcome, "paid")
  return lines.map(eventOf)
}

const swap = (config: string, ...more: ReadonlyArray<string>) =>
  start(["swap", "0.01", "BTC", "USDC", "--yes", "--json", "--config", config, ...more])

/** The moments of its stages at which a swap dies, one life after the other, found by what goes over the wire. */
const lives: ReadonlyArray<ReadonlyArray<readonly [stage: string, cut: Cut]>> = [
  [
    ["quoted and agreed", { path: /generate-intent/, at: "request" }],
    ["signed and journaled", { path: /submit-intent/, at: "request" }],
    ["submitted", { path: /submit-intent/, at: "answer" }]
  ],
  [["processing", { path: /status/, at: "answer", body: /KNOWN_DEPOSIT_TX|PROCESSING/ }]]
]

describe.concurrent("a swap that is killed", () => {
  it("at each stage pays once and continues with --resume", async () => {
    const { account, url } = sandbox.connection
    const before = await held(account.signerId, "balance")
    await Promise.all(
      lives.map(async (stages) => {
        const own = await cuttingProxy(url)
        const { config } = prepare("", own.url)
        for (const [index, [stage, cut]] of stages.entries()) {
          const reached = own.cut(cut)
          const life = index === 0 ? swap(config) : start(resuming(config, "s1"))
          const isReached = await Promise.race([reached.then(() => true), life.ended.then(() => false)])
          assert.isTrue(isReached, `it ended before it was ${stage}: ${life.errors.join("")}`)
          await kill9(life)
        }
        assert.include(await finish(config, "s1"), "Settled")
        await own.close()
      })
    )
    assert.strictEqual(before - (await held(account.signerId, "balance")), 1_000_000n * BigInt(lives.length))
  })

  it.runIf(kills > 0)(
    `${kills} times at any time pays once and continues with --resume`,
    { timeout: 600_000 + kills * 20_000 },
    async () => {
      const random = randomFrom(seed)
      const { config } = prepare("")
      const before = await held(sandbox.connection.account.signerId, "balance")
      for (let made = 1; made <= kills; made += 1) {
        const first = swap(config)
        await first.line((line) => eventOf(line) === "Planned")
        await pause(random(0, 3000))
        await kill9(first)
        const again = start(["swap", "--resume", `s${made}`, "--config", config, "--json"])
        await Promise.race([again.ended, pause(random(600, 2000))])
        await kill9(again)
        const list = start(["swap", "--list", "--config", config, "--json"])
        await list.ended
        const [last] = (JSON.parse(list.lines.join("")) as ReadonlyArray<{ readonly outcome: string | null }>).slice(-1)
        if (last?.outcome === null) await finish(config, `s${made}`)
        const balance = await held(sandbox.connection.account.signerId, "balance")
        assert.strictEqual(before - balance, 1_000_000n * BigInt(made), `seed ${seed}, swap ${made}`)
      }
      process.stdout.write(`killed ${kills} swaps twice (seed ${seed})\n`)
    }
  )
})

/** A swap whose wallet program runs. */
const payingSwap = async () => {
  const own = newFolder()
  const { config } = prepare(onChain(own))
  const calls = () => callsIn(own)
  const before = await held(senderOf(own), "external")
  const first = swap(config)
  await until("the wallet runs", () => calls().length === 1)
  return { own, config, calls, before, first }
}

describe.concurrent("a wallet program", () => {
  it.skipIf(!isLong)("that outlives its swap is not run again, and its deposit is found", async () => {
    const { own, config, calls, before, first } = await payingSwap()
    await kill(first)
    const early = await startHere([...resuming(config, "s1"), "--pay-again"]).ended
    assert.strictEqual(early.code, 1)
    assert.match(early.stderr, /--pay-again s1: its wallet program may run until /)
    const resumed = startHere(["swap", "--resume", "s1", "--config", config])
    await resumed.says("--pay-again")
    assert.match(resumed.stdout(), /Unclear if the wallet paid 0\.01 BTC to /)
    writeFileSync(join(own, "go"), "")
    const { code, stderr } = await resumed.ended
    assert.strictEqual(code, 0, stderr)
    assert.lengthOf(calls(), 1)
    assert.strictEqual((await held(senderOf(own), "external")) - before, 1_000_000n)
  })

  it.skipIf(!isLong)("that is killed runs again only after the operator confirms it", async () => {
    const { own, config, calls, before, first } = await payingSwap()
    process.kill(Number(calls()[0]?.split(" ")[1]), "SIGKILL")
    await first.line((line) => eventOf(line) === "PaymentUnclear")
    await kill(first)
    for (let again = 0; again < 2; again += 1) {
      const waiting = start(["swap", "--resume", "s1", "--config", config, "--json"])
      await waiting.line((line) => eventOf(line) === "attention")
      await pause(1200)
      await kill(waiting)
    }
    assert.lengthOf(calls(), 1)
    writeFileSync(join(own, "go"), "")
    const sure = await startHere([...resuming(config, "s1"), "--pay-again"]).ended
    assert.strictEqual(sure.code, 0, sure.stderr)
    assert.lengthOf(calls(), 2)
    assert.strictEqual((await held(senderOf(own), "external")) - before, 1_000_000n)
  })

  it.skipIf(!isLong)(
    "of a killed bot runs once per placement, and again only after the operator confirms it",
    async () => {
      const own = newFolder()
      const { config, folder } = prepare(onChain(own))
      const calls = () => callsIn(own)
      const strategy = join(folder, "ladder.yaml")
      writeFileSync(
        strategy,
        `name: sell-high
market: BTC/USDC
kind: ladder
limits: { budget: { base: 0.05 } }
ladder: { side: sell, from: 90000, to: 95000, rungs: 2, total: { base: 0.02 } }
`
      )
      const run = (...more: ReadonlyArray<string>) =>
        start(["run", strategy, "--config", config, "--poll", "0.1s", "--json", ...more])
      const status = async () => {
        const { stdout } = await runHere(["status", "--config", config])
        return stdout
      }
      const before = await held(senderOf(own), "external")
      const first = run()
      await until("both wallets run", () => calls().length === 2)
      const [killed] = calls()
      process.kill(Number(killed?.split(" ")[1]), "SIGKILL")
      await first.line((line) => line.includes("PaymentUnclear"))
      await kill(first)
      const second = run()
      await second.line((line) => line.includes("PaymentUnclear"))
      await kill(second)
      assert.match(await status(), /UNCLEAR whether the wallet paid exactly 0\.01 BTC to /)
      writeFileSync(join(own, "go"), "")
      const third = run()
      await third.line((line) => line.includes("DepositSeen"))
      await pause(1500)
      await kill(third)
      const references = calls().map((line) => line.split(" ")[0])
      assert.lengthOf(references, 2)
      assert.strictEqual(new Set(references).size, 2)
      assert.strictEqual((await held(senderOf(own), "external")) - before, 1_000_000n)

      const [, payment = ""] = /run once with --pay-again (\S+)/.exec(await status()) ?? []
      const word = ["--pay-again", payment]
      const sure = run(...word)
      await sure.line((line) => line.includes("PaymentAskedAgain"))
      await sure.line((line) => line.includes("DepositSeen"))
      await kill(sure)
      assert.lengthOf(calls(), 3)
      assert.strictEqual((await held(senderOf(own), "external")) - before, 2_000_000n)
      const stale = await startHere(["run", strategy, "--config", config, "--json", ...word]).ended
      assert.strictEqual(stale.code, 1)
      assert.include(stale.stderr, "no order has an unclear payment of this name. There is none.")
      assert.lengthOf(calls(), 3)
    }
  )
})
