/** The wallet program for EVM chains as a process, against a development node: one deposit leaves once. `npm test` here. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createInterface } from "node:readline"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { after, before, test } from "node:test"
import { createPublicClient, createWalletClient, erc20Abi, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"

const key = `0x${"7".repeat(64)}`
const account = privateKeyToAccount(key)
const coin = { symbol: "ETH", id: "nep141:eth.omft.near", decimals: 18 }
const address = (/** @type {number} */ place) => `0x${String(place).padStart(40, "1")}`
const anvil = spawn(join(import.meta.dirname, "node_modules/.bin/anvil"), ["--port", "0", "--chain-id", "31337"])
let node = ""
const folder = mkdtempSync(join(tmpdir(), "limitbot-evm-"))
let rpc = ""
/** What the way to the node does to a transaction that is sent: "lost" before it, or its answer. */
let fate = "delivered"
const proxy = createServer(async (request, response) => {
  const body = await text(request)
  const isSend = body.includes("eth_sendRawTransaction")
  if (isSend && fate === "lost") return request.socket.destroy()
  const answer = await fetch(node, { method: "POST", body, headers: { "content-type": "application/json" } })
  const said = await answer.text()
  if (isSend && fate === "answer lost") return request.socket.destroy()
  response.setHeader("content-type", "application/json").end(said)
})

before(async () => {
  for await (const line of createInterface(anvil.stdout)) {
    const [, address] = /Listening on (\S+)/.exec(line) ?? []
    if (address === undefined) continue
    node = `http://${address}`
    break
  }
  await new Promise((done) => proxy.listen(0, "127.0.0.1", () => done(undefined)))
  rpc = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (proxy.address()).port}`
  writeFileSync(join(folder, "key"), `${key}\n`)
  await client().request({ method: "anvil_setBalance", params: [account.address, "0x56bc75e2d63100000"] })
})
after(async () => {
  proxy.close()
  anvil.kill()
})

let runs = 0
const pay = async (changes = {}, settings = {}, args = []) => {
  runs += 1
  const config = { journal: join(folder, "evm.sqlite"), rpc, chainId: 31337, key: join(folder, "key"), mostFee: "0.01", assets: { [coin.id]: { most: "2" } }, ...settings }
  const path = join(folder, `config-${runs}.json`)
  writeFileSync(path, JSON.stringify(config))
  const child = spawn(process.execPath, [join(import.meta.dirname, "evm.mjs"), "--config", path, ...args])
  const ended = new Promise((done) => child.on("close", done))
  const payment = { version: 1, reference: "p1-1", asset: coin, amount: String(10n ** 18n), depositAddress: address(1), depositMemo: null, deadline: new Date(Date.now() + 3_600_000).toISOString(), ...changes }
  child.stdin.end(JSON.stringify(payment))
  const [said, told, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, told, txHash: said === "" ? undefined : JSON.parse(said).txHash }
}
const client = () => createPublicClient({ transport: http(rpc) })
const balance = (/** @type {number} */ place) => client().getBalance({ address: address(place) })

test("pays once: at the same time, again, and under another reference", async () => {
  const answers = await Promise.all([pay(), pay({ reference: "p1-2" }), pay()])
  const again = await pay()
  assert.deepEqual(answers.map(({ code }) => code), [0, 0, 0])
  assert.equal(new Set([...answers, again].map(({ txHash }) => txHash)).size, 1)
  assert.equal(await balance(1), 10n ** 18n)
})

test("sends the same bytes again, whether they or their answer were lost", async () => {
  for (const [place, what, code] of [[2, "lost", 70], [3, "answer lost", 0]]) {
    fate = what
    const first = await pay({ depositAddress: address(place) })
    assert.equal(first.code, code, first.told)
    fate = "delivered"
    assert.equal((await pay({ depositAddress: address(place) })).code, 0)
    assert.equal(await balance(place), 10n ** 18n)
  }
})

test("a later deposit does not take the nonce of one that has not left", async () => {
  fate = "lost"
  await pay({ depositAddress: address(4) })
  fate = "delivered"
  await pay({ depositAddress: address(5) })
  assert.equal((await pay({ depositAddress: address(4) })).code, 0)
  assert.deepEqual([await balance(4), await balance(5)], [10n ** 18n, 10n ** 18n])
})

test("says that nothing was sent once a finalized block has used the nonce, and pays anew", async () => {
  fate = "lost"
  await pay({ depositAddress: address(6) })
  fate = "delivered"
  const wallet = createWalletClient({ account, transport: http(rpc) })
  await wallet.sendTransaction({ chain: null, to: address(9), value: 1n })
  assert.equal((await pay({ depositAddress: address(6) })).code, 70, "its block may be taken back")
  await client().request({ method: "anvil_mine", params: ["0x64"] })
  const refused = await pay({ depositAddress: address(6) })
  assert.deepEqual([refused.code, refused.txHash], [65, undefined], refused.told)
  assert.equal(await balance(6), 0n)
  assert.equal((await pay({ depositAddress: address(6) })).code, 0)
  assert.equal(await balance(6), 10n ** 18n)
})

test("pays in a token, whose decimals the chain tells", async () => {
  const token = address(8)
  // decimals() is 6; transfer(to, amount) adds to what balanceOf(to) tells.
  const code =
    "0x60003560e01c8063313ce567146028578063a9059cbb14603357806370a0823114604a57600080fd5b600660005260206000f35b602435600435540160043555600160005260206000f35b60043554600052602060 00f3".replace(" ", "")
  await client().request({ method: "anvil_setCode", params: [token, code] })
  const usd = { symbol: "USDC", id: "nep141:usdc", decimals: 6 }
  const settings = { assets: { [usd.id]: { token, most: "100" } } }
  const wanted = { asset: usd, amount: "25000000", depositAddress: address(1) }
  assert.equal((await pay(wanted, settings)).code, 0)
  assert.equal((await pay(wanted, settings)).code, 0)
  const abi = erc20Abi
  assert.equal(await client().readContract({ address: token, abi, functionName: "balanceOf", args: [address(1)] }), 25_000_000n)
  const { code: refused, told } = await pay({ ...wanted, depositAddress: address(2), asset: { ...usd, decimals: 8 } }, settings)
  assert.deepEqual([refused, /has 6 decimals/.test(told)], [65, true])
})

test("refuses with nothing sent", async () => {
  const before_ = await client().getTransactionCount({ address: account.address })
  const fresh = { depositAddress: address(7) }
  for (const [changes, settings, words, args] of [
    [{ ...fresh, amount: String(3n * 10n ** 18n) }, {}, /are more than the 2 of one payment/],
    [{ ...fresh, depositMemo: "1" }, {}, /no memo/],
    [{ depositAddress: "bc1" }, {}, /no address of this chain/],
    [{ ...fresh, asset: { ...coin, decimals: 6 }, amount: "1000" }, {}, /has 18 decimals/],
    [fresh, { chainId: 1 }, /is chain 31337, not 1/],
    [fresh, { mostFee: "0.000000001" }, /fee of up to .* is above/],
    [fresh, { rpc: "http://127.0.0.1:1" }, /HTTP request failed/],
    [fresh, {}, /dry run: would pay 1\.0+ ETH/, ["--dry-run"]]
  ]) {
    const { code, told } = await pay(changes, settings, args)
    assert.match(told, words)
    assert.equal(code, 65, told)
  }
  assert.equal(await client().getTransactionCount({ address: account.address }), before_)
})
