/** The wallet program for Solana as a process, against a chain in memory behind the calls that it makes. `npm test` here. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { after, before, beforeEach, test } from "node:test"
import { address, createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, getTransactionDecoder, lamports } from "@solana/kit"
import { AccountState, findAssociatedTokenPda, getMintEncoder, getTokenDecoder, getTokenEncoder, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { FailedTransactionMetadata, LiteSVM } from "litesvm"

const seed = new Uint8Array(32).fill(7)
const signer = await createKeyPairSignerFromPrivateKeyBytes(seed, true)
const coin = { symbol: "SOL", id: "nep141:sol.omft.near", decimals: 9 }
const places = Array.from({ length: 9 }, (_, place) => address(getBase58Decoder().decode(new Uint8Array(32).fill(place + 40))))
const folder = mkdtempSync(join(tmpdir(), "limitbot-solana-"))
const chain = new LiteSVM()
let height = 1_000
/** What becomes of a transaction on its way to the node: it may be lost, or its answer, or the node be away for every question. */
let fate = "delivered"
let sent = 0

const decode = (/** @type {string} */ bytes) => getTransactionDecoder().decode(Buffer.from(bytes, "base64"))
const failed = (/** @type {unknown} */ outcome) => (outcome instanceof FailedTransactionMetadata ? { InstructionError: [0, String(outcome.err())] } : null)
/** @type {Record<string, (...params: any[]) => unknown>} */
const methods = {
  getGenesisHash: () => "genesis",
  getLatestBlockhash: () => ({ context: { slot: height }, value: { blockhash: chain.latestBlockhash(), lastValidBlockHeight: height + 150 } }),
  getBlockHeight: () => height,
  simulateTransaction: (bytes) => ({ context: { slot: height }, value: { err: failed(chain.simulateTransaction(decode(bytes))), logs: [] } }),
  sendTransaction: (bytes) => {
    sent += 1
    if (fate === "lost") return "lost"
    const outcome = chain.sendTransaction(decode(bytes))
    if (outcome instanceof FailedTransactionMetadata) throw new Error(String(outcome.err()))
    return fate === "answer lost" ? undefined : "taken"
  },
  getSignatureStatuses: ([signature]) => {
    const known = chain.getTransaction(signature)
    const status = { slot: height, confirmations: null, confirmationStatus: "finalized", err: failed(known) }
    return { context: { slot: height }, value: [known === null ? null : status] }
  }
}
const server = createServer(async (request, response) => {
  const { id, method, params } = JSON.parse(await text(request))
  if (fate === "away" || (fate === "away after sending" && sent > 0)) return request.socket.destroy()
  try {
    const result = methods[method]?.(...(params ?? []))
    if (result === undefined) return request.socket.destroy()
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }))
  } catch (error) {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32002, message: String(error) } }))
  }
})
let rpc = ""

before(async () => {
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)))
  rpc = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", signer.keyPair.publicKey))
  writeFileSync(join(folder, "key.json"), JSON.stringify([...seed, ...publicKey]))
  chain.airdrop(signer.address, lamports(100_000_000_000n))
})
beforeEach(() => {
  fate = "delivered"
  sent = 0
})
after(() => server.close())

let runs = 0
const pay = async (changes = {}, settings = {}, args = []) => {
  runs += 1
  const config = { journal: join(folder, "solana.sqlite"), rpc, genesisHash: "genesis", key: join(folder, "key.json"), assets: { [coin.id]: { most: "2" } }, ...settings }
  const path = join(folder, `config-${runs}.json`)
  writeFileSync(path, JSON.stringify(config))
  const child = spawn(process.execPath, [join(import.meta.dirname, "solana.mjs"), "--config", path, ...args])
  const ended = new Promise((done) => child.on("close", done))
  child.stdin.end(JSON.stringify({ version: 1, reference: "p1-1", asset: coin, amount: "1000000000", depositAddress: places[0], depositMemo: null, deadline: new Date(Date.now() + 3_600_000).toISOString(), ...changes }))
  const [said, told, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, told, txHash: said === "" ? undefined : JSON.parse(said).txHash }
}
const balance = (/** @type {number} */ place) => chain.getBalance(places[place]) ?? 0n

test("pays once: at the same time, again, and under another reference", async () => {
  const answers = await Promise.all([pay(), pay({ reference: "p1-2" }), pay()])
  const again = await pay()
  assert.deepEqual(answers.map(({ code }) => code), [0, 0, 0], answers.map(({ told }) => told).join())
  assert.equal(new Set([...answers, again].map(({ txHash }) => txHash)).size, 1)
  assert.equal(balance(0), 1_000_000_000n)
})

test("one whose answer was lost is found by its signature", async () => {
  fate = "answer lost"
  assert.equal((await pay({ depositAddress: places[1] })).code, 0)
  assert.equal(balance(1), 1_000_000_000n)
})

test("one that the node dropped is sent again, the same bytes", async () => {
  fate = "lost"
  setTimeout(() => (fate = "delivered"), 3_000)
  assert.equal((await pay({ depositAddress: places[2] })).code, 0)
  assert.ok(sent > 1)
  assert.equal(balance(2), 1_000_000_000n)
})

test("is unclear when the node went away, and pays once when it is back", async () => {
  fate = "away after sending"
  const unclear = await pay({ depositAddress: places[3] })
  assert.deepEqual([unclear.code, unclear.txHash], [70, undefined])
  fate = "delivered"
  sent = 0
  assert.equal((await pay({ depositAddress: places[3] })).code, 0)
  assert.equal(balance(3), 1_000_000_000n)
})

test("says that nothing was sent once the last height is over, and pays anew", async () => {
  fate = "lost"
  setTimeout(() => {
    height += 200
    chain.expireBlockhash()
  }, 3_000)
  const refused = await pay({ depositAddress: places[4] })
  assert.deepEqual([refused.code, refused.txHash, balance(4)], [65, undefined, 0n])
  fate = "delivered"
  assert.equal((await pay({ depositAddress: places[4] })).code, 0)
  assert.equal(balance(4), 1_000_000_000n)
})

test("pays in a token, to an account that did not exist", async () => {
  const mint = places[8]
  const usd = { symbol: "USDC", id: "nep141:usdc", decimals: 6 }
  const accountOf = async (/** @type {any} */ owner) => (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]
  const set = (/** @type {any} */ at, /** @type {any} */ data) =>
    chain.setAccount({ address: at, data: new Uint8Array(data), executable: false, lamports: lamports(10_000_000n), programAddress: TOKEN_PROGRAM_ADDRESS, space: BigInt(data.length) })
  set(mint, getMintEncoder().encode({ mintAuthority: null, supply: 100_000_000n, decimals: 6, isInitialized: true, freezeAuthority: null }))
  const holding = { mint, owner: signer.address, amount: 100_000_000n, delegate: null, state: AccountState.Initialized, isNative: null, delegatedAmount: 0n, closeAuthority: null }
  set(await accountOf(signer.address), getTokenEncoder().encode(holding))
  const settings = { assets: { [usd.id]: { mint, most: "100" } } }
  const wanted = { asset: usd, amount: "25000000", depositAddress: places[6] }
  const paid = [await pay(wanted, settings), await pay(wanted, settings)]
  assert.deepEqual(paid.map(({ code }) => code), [0, 0], paid[0]?.told)
  const account = chain.getAccount(await accountOf(places[6]))
  assert.equal(account.exists && getTokenDecoder().decode(account.data).amount, 25_000_000n)
  const wrong = await pay({ ...wanted, depositAddress: places[7], asset: { ...usd, decimals: 8 }, amount: "2500000000" }, settings)
  assert.deepEqual([wrong.code, /it would fail/.test(wrong.told)], [65, true])
})

test("refuses with nothing sent", async () => {
  const fresh = { depositAddress: places[5] }
  for (const [changes, settings, words, args] of [
    [{ ...fresh, amount: "2000000001" }, {}, /are more than the 2 of one payment/],
    [{ ...fresh, depositMemo: "1" }, {}, /no deposits with a memo/],
    [{ depositAddress: "bc1" }, {}, /no address of this chain/],
    [{ ...fresh, asset: { ...coin, decimals: 6 }, amount: "1000" }, {}, /SOL has 9 decimals/],
    [fresh, { genesisHash: "other" }, /is the chain of genesis genesis, not other/],
    [{ ...fresh, amount: "200000000000" }, { assets: { [coin.id]: { most: "1000" } } }, /it would fail/],
    [fresh, {}, /dry run: would pay 1\.000000000 SOL/, ["--dry-run"]]
  ]) {
    const { code, told } = await pay(changes, settings, args)
    assert.match(told, words)
    assert.equal(code, 65, told)
  }
  assert.deepEqual([sent, balance(5)], [0, 0n])
})
