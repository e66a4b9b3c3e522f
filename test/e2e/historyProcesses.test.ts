/** Two processes with one partner and journals of their own, one of them killed in the middle: both get the whole history, slowly. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { type Connection, configure, kill9, newFolder, start } from "../world/processes/processes.ts"
import { startSandbox } from "../world/processes/program.ts"
import { cuttingProxy } from "./cuttingProxy.ts"

let connection: Connection
let proxy: Awaited<ReturnType<typeof cuttingProxy>>
const count = 120
const page = ["--count", String(count / 2)]

beforeAll(async () => {
  connection = await startSandbox({ seed: 12 })
  const { account, partnerJwt, url } = connection
  proxy = await cuttingProxy(url)
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${partnerJwt}` }
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
    assert.strictEqual(answer.status, 200)
    return (await answer.json()) as { readonly quote: { readonly depositAddress: string } }
  }
  const asset = `nep141:btc.omft.${connection.ledger}`
  const make = async () => {
    const { quote } = await post("/v0/quote", {
      dry: false,
      swapType: "EXACT_INPUT",
      slippageTolerance: 500,
      originAsset: asset,
      depositType: "ORIGIN_CHAIN",
      destinationAsset: `nep141:usdc.omft.${connection.ledger}`,
      amount: "100000",
      refundTo: "bc1q",
      refundType: "ORIGIN_CHAIN",
      recipient: account.signerId,
      recipientType: "INTENTS",
      deadline: new Date(Date.now() + 3_600_000).toISOString()
    })
    const { depositAddress } = quote
    await post("/sandbox/deposit", { depositAddress, asset, amount: "100000", sender: "bc1q" })
  }
  for (let made = 0; made < count; made += 10) await Promise.all(Array.from({ length: 10 }, make))
})
afterAll(async () => {
  await proxy.close()
})

const prepare = () => {
  const folder = newFolder()
  const config = configure(folder, { ...connection, url: proxy.url }, { venue: "  partnerJwt: { file: partner.jwt }" })
  return { config, journal: join(folder, "journal.sqlite") }
}

const sync = (config: string, ...more: ReadonlyArray<string>) =>
  start(["history", "--sync", "--json", "--config", config, ...more])

const storedIn = (journal: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(journal, { readOnly: true })
  const rows = database.prepare("SELECT deposit_address FROM history_transactions").all()
  database.close()
  return rows.map((row) => String(row["deposit_address"]))
}

describe("two processes of one partner", () => {
  it.skipIf(!isLong)("read the whole history within the rate limit, and a killed one continues", async () => {
    const [one, other] = [prepare(), prepare()]
    // Its first page is written, and it dies while it asks for the second.
    const cut = proxy.cut({ path: /lastDepositAddress/, at: "answer" })
    const first = sync(one.config, ...page)
    const second = sync(other.config)
    await cut
    await kill9(first)
    assert.lengthOf(storedIn(one.journal), count / 2)
    const again = sync(one.config, ...page)
    assert.deepStrictEqual([await second.ended, await again.ended], [0, 0], again.errors.concat(second.errors).join(""))
    for (const { journal } of [one, other]) {
      assert.lengthOf(storedIn(journal), count)
      assert.strictEqual(new Set(storedIn(journal)).size, count)
    }
    const taken = proxy.requests.filter(({ status }) => status === 200)
    const refused = proxy.requests.length - taken.length
    // Somewhere between its coming and its answer each was taken.
    for (const [index, { to }] of taken.slice(1).entries()) assert.isAtLeast(to - (taken[index]?.from ?? 0), 4900)
    assert.isAtMost(refused, taken.length, "a 429 is obeyed")
    process.stdout.write(`history of ${count} rows twice: ${taken.length} requests, ${refused} refused\n`)
  })
})
