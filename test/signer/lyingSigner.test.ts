/**
 * A signer process is a witness like any other: whatever it returns goes through the whole guard before it leaves the bot. What
 * is not exactly the payload that was asked for, signed by the account's own key, is told and never sent.
 */
import { mkdtempSync, rmSync } from "node:fs"
import type { Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { Effect } from "effect"
import * as RemoteSigner from "../../src/signer/remote/RemoteSigner.ts"
import { IntentGuard } from "../../src/signing/IntentGuard.ts"
import { paidBy } from "../profile.ts"
import {
  type Connection,
  configText,
  ordersAt,
  runHere,
  startHere,
  startSandbox,
  workspace
} from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"
import { payer, testAccount } from "../world/service/scriptedVenue.ts"
import { type Asked, listen, type Payload, type Signed, signer, withMessage } from "./lyingSigner.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-liar-"))
const servers: Array<Server> = []
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
})

const seed = new Uint8Array(32).fill(7)
const honest = signer(seed)
const thief = signer(new Uint8Array(32).fill(9))

const expected = { depositAddress: "deposit-1", depositType: "INTENTS", asset: "nep141:base", amount: 300_000_000n }
const payloadFor = (depositAddress: string, nonce = 5): Payload => ({
  message: JSON.stringify({
    deadline: new Date(Date.now() + 300_000).toISOString(),
    intents: [{ intent: "transfer", receiver_id: depositAddress, tokens: { "nep141:base": "300000000" } }],
    signer_id: testAccount
  }),
  nonce: Buffer.alloc(32, nonce).toString("base64"),
  recipient: "intents.native"
})

const named = { ...payer, signerId: "alice.near" }
const ofAlice = (payload: Payload): Payload =>
  withMessage(payload, (message) => {
    message.signer_id = "alice.near"
  })

let count = 0
/** What a bot makes of the answers of such a signer, one after the other. */
const asking = async (
  answer: (asked: Asked, number: number) => unknown,
  addresses: ReadonlyArray<string> = ["deposit-1"],
  { change = (payload: Payload) => payload, owner = payer } = {}
) => {
  count += 1
  const socket = join(folder, `${count}.sock`)
  let number = 0
  servers.push(
    await listen(socket, (asked) => {
      number += 1
      return answer(asked, number)
    })
  )
  const layer = RemoteSigner.guardLayer(socket, owner)
  const results = Effect.forEach(addresses, (depositAddress, index) =>
    IntentGuard.use((guard) =>
      guard.signTransfer(
        { standard: "nep413", payload: change(payloadFor(depositAddress, index + 1)) },
        { ...expected, depositAddress }
      )
    ).pipe(Effect.match({ onFailure: ({ message }) => message, onSuccess: ({ body }) => JSON.parse(body) as unknown }))
  )
  return Effect.runPromise(Effect.provide(results, layer))
}

const resigned = (payload: Payload, change: Parameters<typeof withMessage>[1]) =>
  honest.sign(withMessage(payload, change))
const inBody = (signed: Signed, change: (body: { [name: string]: unknown }) => void): Signed => {
  const body = JSON.parse(signed.body)
  change(body)
  return { ...signed, body: JSON.stringify(body) }
}
const inData = (signed: Signed, change: Record<string, unknown>): Signed =>
  inBody(signed, (body) => {
    body["signedData"] = { ...Object(body["signedData"]), ...change }
  })

const lies: ReadonlyArray<readonly [string, (asked: Asked) => unknown, RegExp]> = [
  [
    "another receiver",
    ({ payload }) =>
      resigned(payload, ({ intents: [intent] }) => Object.assign(intent ?? {}, { receiver_id: "thief" })),
    /intent\.receiver_id: expected "deposit-1", found "thief"/
  ],
  [
    "another receiver, as an earlier signature",
    ({ payload }) => ({
      ...resigned(payload, ({ intents: [intent] }) => Object.assign(intent ?? {}, { receiver_id: "thief" })),
      _tag: "SignedBefore"
    }),
    /intent\.receiver_id/
  ],
  [
    "another amount",
    ({ payload }) =>
      resigned(payload, ({ intents: [intent] }) => Object.assign(intent?.tokens ?? {}, { "nep141:base": "300000001" })),
    /intent\.tokens amount/
  ],
  [
    "a second intent",
    ({ payload }) => resigned(payload, ({ intents }) => intents.push(...intents)),
    /message\.intents/
  ],
  [
    "another account",
    ({ payload }) => resigned(payload, (message) => Object.assign(message, { signer_id: "thief" })),
    /signer_id/
  ],
  [
    "a deadline of years",
    ({ payload }) => resigned(payload, (message) => Object.assign(message, { deadline: "2036-01-01T00:00:00.000Z" })),
    /message\.deadline/
  ],
  [
    "a deadline that was not requested",
    ({ payload }) =>
      resigned(payload, (message) =>
        Object.assign(message, { deadline: new Date(Date.now() + 600_000).toISOString() })
      ),
    /payload: expected the one that was asked for/
  ],
  ["another verifier", ({ payload }) => honest.sign({ ...payload, recipient: "intents.thief" }), /payload\.recipient/],
  [
    "another nonce",
    ({ payload }) => honest.sign({ ...payload, nonce: Buffer.alloc(32, 99).toString("base64") }),
    /payload: expected the one that was asked for/
  ],
  [
    "the signature of another key",
    ({ payload }) => thief.sign(payload),
    /signature: expected one of the account's key/
  ],
  [
    "the signature of another message",
    ({ payload }) => inData(honest.sign(payload), { signature: honest.signatureOf(new Uint8Array(32)) }),
    /signature/
  ],
  ["another hash", ({ payload }) => ({ ...honest.sign(payload), intentHash: "1".repeat(44) }), /intentHash/],
  [
    "a payload that is said to live longer",
    ({ payload }) => ({ ...honest.sign(payload), validUntil: Date.now() + 3_000_000 }),
    /validUntil/
  ],
  ["a payload that is said to be over", ({ payload }) => ({ ...honest.sign(payload), validUntil: 0 }), /validUntil/],
  ["another standard", ({ payload }) => inData(honest.sign(payload), { standard: "erc191" }), /standard/],
  ["more than a payload", ({ payload }) => inData(honest.sign(payload), { memo: "x" }), /signedData/],
  [
    "another kind of request",
    ({ payload }) => inBody(honest.sign(payload), (body) => Object.assign(body, { type: "withdraw" })),
    /type/
  ],
  ["text", ({ payload }) => ({ ...honest.sign(payload), body: "signed" }), /body: expected strict JSON/],
  [
    "a key twice",
    ({ payload }) => ({ ...honest.sign(payload), body: honest.sign(payload).body.replace("{", '{"type":"withdraw",') }),
    /duplicate key/
  ]
]

describe("an answer of the signer process", () => {
  it("is used if it matches the request", async () => {
    const [body] = await asking(({ payload }) => honest.sign(payload))
    assert.nestedPropertyVal(body, "signedData.public_key", honest.publicKey)
  })

  it("may be an earlier signature of the same payment", async () => {
    const before = honest.sign(payloadFor("deposit-1", 77))
    const [body] = await asking(() => ({ ...before, _tag: "SignedBefore" }))
    assert.deepStrictEqual(body, JSON.parse(before.body))
    const expiring = withMessage(payloadFor("deposit-1", 77), (message) => {
      message.deadline = new Date(Date.now() - 1_000).toISOString()
    })
    const [late] = await asking(() => ({ ...honest.sign(expiring), _tag: "SignedBefore" }))
    assert.match(String(late), /^The signer did not sign: its earlier signature/)
  })

  it("accuses nobody if the signer's own caps forbid the payment", async () => {
    const [said] = await asking(() => ({ _tag: "Declined", reason: "its own maxPerDay allows at most 5" }))
    assert.strictEqual(said, "The signer did not sign: its own maxPerDay allows at most 5")
  })

  it.each(lies)("is reported and never sent: %s", async (_, answer, what) => {
    const [said] = await asking(answer)
    assert.isString(said)
    assert.match(String(said), /^The signer returned something other than requested; nothing was sent: /)
    assert.match(String(said), what)
  })

  it("is rejected if it repeats the last answer", async () => {
    let last: Signed | undefined
    const [first, second] = await asking(
      ({ payload }) => {
        last ??= honest.sign(payload)
        return last
      },
      ["deposit-1", "deposit-2"]
    )
    assert.isObject(first)
    assert.match(String(second), /intent\.receiver_id: expected "deposit-2", found "deposit-1"/)
  })

  it("must always come from the same key if the account does not name one", async () => {
    const [first, second] = await asking(
      ({ payload }, number) => (number === 1 ? honest : thief).sign(payload),
      ["deposit-1", "deposit-2"],
      { change: ofAlice, owner: named }
    )
    assert.isObject(first)
    assert.match(String(second), new RegExp(`one of ${thief.publicKey} instead of ${honest.publicKey}`))
  })
})

/** Somebody else's order, which would be glad of our money. */
const strangersAddress = async (sandbox: Connection): Promise<{ id: string; depositAddress: string }> => {
  const { apiKey, ledger, url } = sandbox
  const { depositType } = paidBy(sandbox)
  const attributes = {
    orderType: "LIMIT",
    baseAsset: `nep141:btc.omft.${ledger}`,
    quoteAsset: `nep141:usdc.omft.${ledger}`,
    quantity: "500000",
    side: "BUY",
    price: "30000",
    depositType,
    recipient: "stranger.near",
    recipientType: depositType,
    refundTo: "stranger.near",
    refundType: depositType,
    confidentiality: "basic"
  }
  const answer = await fetch(`${url}/v0/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify({ data: { type: "orders", attributes } })
  })
  const { data } = await answer.json()
  return { id: data.id, depositAddress: data.attributes.depositAddress }
}

describe("a bot with a lying signer process", () => {
  it("pays no stranger, and books no deposit in flight", async () => {
    const sandbox = await startSandbox({ speed: 60 })
    const { key, signerId } = sandbox.account
    const text = configText(sandbox).replace(
      "key: { file: account.key }",
      `signerId: ${signerId}\n  signer: { socket: signer.sock }`
    )
    const workplace = workspace(sandbox, { "config.yaml": text })
    const stranger = await strangersAddress(sandbox)
    const own = Buffer.from(bs58.decode(key.slice("ed25519:".length))).subarray(0, 32)
    const { sign } = signer(own)
    let asked = 0
    servers.push(
      await listen(join(workplace, "signer.sock"), ({ _tag, payload }) => {
        if (_tag !== "Transfer") return { _tag: "Unavailable", reason: "busy" }
        asked += 1
        return sign(
          withMessage(payload, ({ intents: [intent] }) => {
            if (intent !== undefined) intent.receiver_id = stranger.depositAddress
          })
        )
      })
    )
    const bot = startHere([
      "run",
      join(workplace, "grid.yaml"),
      "--config",
      join(workplace, "config.yaml"),
      "--poll",
      "0.3s"
    ])
    await until("it has asked for some signatures", async () => asked >= 3)
    await until("it tells", async () => {
      const events = await runHere(["events", "--json", "--config", join(workplace, "config.yaml")])
      return /The signer returned something other/.test(events.stdout)
    })
    bot.signal("SIGTERM")
    await bot.ended
    const events = await runHere(["events", "--json", "--config", join(workplace, "config.yaml")])
    assert.notMatch(events.stdout, /FundingSigned|FundingSent/)
    assert.deepStrictEqual(
      (await ordersAt(sandbox)).flatMap(({ held }) => held),
      [],
      "no money moved"
    )
  })
})
