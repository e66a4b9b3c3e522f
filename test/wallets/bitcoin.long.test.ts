/** The wallet program for bitcoin as a process, against a node of its own: one deposit leaves once, whatever happens. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Wallet } from "../../src/engine/funding/Wallet.ts"
import * as WalletCommand from "../../src/engine/funding/WalletCommand.ts"
import * as Node from "./bitcoinNode.ts"

const program = resolve(import.meta.dirname, "../../deploy/wallets/bitcoin.mjs")
const asset = { symbol: "BTC", id: "nep141:btc.omft.near", decimals: 8 }
const payment = {
  version: 1,
  reference: "p1-1",
  asset,
  amount: "1000000",
  amountFormatted: "0.01",
  depositAddress: "bc1deposit",
  depositMemo: null as string | null,
  deadline: new Date(Date.now() + 3_600_000).toISOString()
}
let node: Awaited<ReturnType<typeof Node.start>>
let folder: string

beforeEach(async () => {
  node = await Node.start()
  folder = mkdtempSync(join(tmpdir(), "limitbot-wallet-"))
  writeFileSync(join(folder, "cookie"), "user:secret\n")
  configure({})
})
afterEach(() => {
  node.stop()
  rmSync(folder, { recursive: true, force: true })
})

const configPath = () => join(folder, "bitcoin.json")

const configure = (changes: object) => {
  const assets = { [asset.id]: { most: "0.05" } }
  const [journal, cookie] = [join(folder, "bitcoin.sqlite"), join(folder, "cookie")]
  const config = { journal, cookie, rpc: node.url, wallet: "bot", mostFee: "0.0002", assets, ...changes }
  writeFileSync(configPath(), JSON.stringify(config))
}

const pay = async (changes: object = {}, ...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [program, "--config", configPath(), ...args], { stdio: "pipe" })
  const ended = new Promise<number | null>((done) => child.on("close", done))
  child.stdin.end(JSON.stringify({ ...payment, ...changes }))
  const [said, told, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, told, txHash: said === "" ? undefined : String(JSON.parse(said).txHash) }
}

const deposits = () => node.paid().filter(({ address }) => address === payment.depositAddress)

describe("the wallet program for bitcoin", () => {
  it("pays a deposit once, also for simultaneous, repeated or differently named requests", async () => {
    const answers = await Promise.all(["p1-1", "p1-2", "p1-1"].map((reference) => pay({ reference })))
    const again = await pay()
    assert.deepStrictEqual(
      answers.map(({ code }) => code),
      [0, 0, 0]
    )
    assert.deepStrictEqual(new Set(answers.map(({ txHash }) => txHash)), new Set([again.txHash]))
    assert.deepStrictEqual(deposits(), [{ address: "bc1deposit", value: 0.01 }])
    assert.strictEqual(statSync(join(folder, "bitcoin.sqlite")).mode & 0o777, 0o600)
  })

  it("can be called by limitbot", async () => {
    const wallet = WalletCommand.layer({
      program: process.execPath,
      args: [program, "--config", configPath()],
      secretVariables: []
    })
    const request = { ...payment, amount: 1_000_000n, depositMemo: undefined, deadline: Date.parse(payment.deadline) }
    const paid = await Effect.flatMap(Wallet, ({ pay }) => pay(request)).pipe(
      Effect.provide(wallet),
      Effect.provide(NodeServices.layer),
      Effect.runPromise
    )
    assert.match(paid.txHash ?? "", /^[0-9a-f]{64}$/)
    assert.strictEqual(deposits().length, 1)
  })

  it("sends the same bytes again if no answer arrives", async () => {
    node.behaviour.answers = false
    const unclear = await pay()
    node.behaviour.answers = true
    const again = await pay()
    assert.deepStrictEqual([unclear.code, unclear.txHash, again.code], [70, undefined, 0])
    assert.strictEqual(deposits().length, 1)
  })

  it("sends signed bytes that have not left", async () => {
    node.behaviour.dies = true
    assert.strictEqual((await pay()).code, 70)
    assert.strictEqual(deposits().length, 0)
    node.behaviour.dies = false
    assert.strictEqual((await pay()).code, 0)
    assert.strictEqual(deposits().length, 1)
  })

  it("reports an unsent payment only if none can be sent, and pays again only then", async () => {
    node.behaviour.dies = true
    const { told } = await pay()
    const id = /[0-9a-f]{64}/.exec(told)?.[0] ?? ""
    node.behaviour.dies = false
    node.conflict(id, 2)
    assert.strictEqual((await pay()).code, 70, "two blocks may be taken back")
    node.conflict(id, 6)
    assert.strictEqual((await pay()).code, 65)
    assert.strictEqual(deposits().length, 0)
    const anew = await pay()
    assert.strictEqual(anew.code, 0)
    assert.notStrictEqual(anew.txHash, id)
    assert.strictEqual(deposits().length, 1)
  })

  it("does not pay an address again with another amount, nor after the deadline", async () => {
    await pay()
    const other = await pay({ amount: "2000000" })
    assert.deepStrictEqual([other.code, other.txHash], [70, undefined])
    const late = await pay({ deadline: "2026-01-01T00:00:00Z" })
    assert.deepStrictEqual([late.code, late.txHash], [70, undefined])
    assert.strictEqual(deposits().length, 1)
  })

  const refusals: ReadonlyArray<readonly [string, object, RegExp, (() => void)?]> = [
    ["more than the limit", { amount: "5000001" }, /0\.05000001 BTC are more than the 0\.05 of one payment/],
    ["another asset", { asset: { ...asset, id: "nep141:eth.omft.near" } }, /is not in the configuration/],
    ["a memo", { depositMemo: "5" }, /bitcoin has no memo/],
    ["an address of another chain", { depositAddress: "0xdead" }, /0xdead is no address of this chain/],
    ["other decimals", { asset: { ...asset, decimals: 18 } }, /bitcoin has 8 decimals/],
    ["a deadline that is over", { deadline: "2026-01-01T00:00:00Z" }, /its deadline .* is over/],
    ["an amount of nothing", { amount: "0" }, /not a payment/],
    ["another version", { version: 2 }, /not a payment/],
    [
      "a dear fee",
      {},
      /its fee of 0\.00030000 BTC is above 0\.0002/,
      () => Object.assign(node.behaviour, { fee: 0.0003 })
    ],
    [
      "a node that pays a stranger",
      {},
      /pays 0\.00000000 to bc1deposit and 2 others/,
      () => Object.assign(node.behaviour, { pays: "bc1stranger" })
    ],
    ["a wrong cookie", {}, /does not accept/, () => writeFileSync(join(folder, "cookie"), "user:other")],
    ["a node that is away", {}, /fetch failed/, () => configure({ rpc: "http://127.0.0.1:1" })]
  ]
  it("refuses without sending anything, and leaves no coin locked", async () => {
    for (const [what, changes, words, prepare] of refusals) {
      configure({})
      writeFileSync(join(folder, "cookie"), "user:secret\n")
      Object.assign(node.behaviour, { fee: 0.0000141, pays: undefined })
      prepare?.()
      const { code, told } = await pay(changes)
      assert.match(told, words, what)
      assert.strictEqual(code, 65, what)
    }
    assert.strictEqual(node.locked.size, 0)
    assert.notInclude(node.asked, "sendrawtransaction")
  })

  it("says in a dry run what it would pay, and sends nothing", async () => {
    const { code, told } = await pay({}, "--dry-run")
    assert.match(told, /dry run: would pay 0\.01000000 BTC to bc1deposit \(fee 0\.00001410 BTC\)/)
    assert.strictEqual(code, 65)
    assert.notInclude(node.asked, "sendrawtransaction")
    assert.strictEqual(node.locked.size, 0)
  })
})
