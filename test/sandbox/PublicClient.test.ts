/**
 * A public client of the deployed service, unmodified, against the sandbox with the spelling of that deployment: everything it
 * can do, with its own check of the quote's signature, and intents signed by another library.
 */
import { createHash } from "node:crypto"
import {
  AccountService,
  ApiError,
  type GenerateSwapTransferIntentRequest,
  OneClickService,
  OpenAPI,
  type QuoteRequest,
  type SubmitSwapTransferIntentRequest,
  UserAuthService,
  verifyQuoteSignature
} from "@defuse-protocol/one-click-sdk-typescript"
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { Effect } from "effect"
import { parseKey } from "near-kit"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"

type Connection = SandboxServer.ConnectionRecord

const btc = "nep141:btc.omft.near"
const usdc = "nep141:usdc.omft.near"

/** What the client's own types want; its enums are plain words on the wire. */
const quoteRequest = ({ account }: Connection, changes: object = {}) =>
  ({
    dry: false,
    swapType: "EXACT_INPUT",
    slippageTolerance: 100,
    originAsset: btc,
    depositType: "INTENTS",
    destinationAsset: usdc,
    amount: "1000000",
    refundTo: account.signerId,
    refundType: "INTENTS",
    recipient: account.signerId,
    recipientType: "INTENTS",
    deadline: new Date(Date.now() + 600_000).toISOString(),
    referral: "a-public-client",
    ...changes
  }) as QuoteRequest

interface Payload {
  readonly message: string
  readonly nonce: string
  readonly recipient: string
  readonly callbackUrl?: string | null
}

/** Signs as a wallet does, with nothing of ours. */
const signed = ({ account }: Connection, payload: Payload) => {
  const key = parseKey(account.key)
  if (key.signNep413Message === undefined) return assert.fail("the wallet cannot sign messages")
  const { callbackUrl, message, nonce, recipient } = payload
  const { publicKey, signature } = key.signNep413Message(account.signerId, {
    message,
    recipient,
    nonce: Buffer.from(nonce, "base64"),
    ...(callbackUrl ? { callbackUrl } : {})
  })
  const bytes = Buffer.from(signature, "base64")
  return { standard: "nep413", payload, public_key: publicKey, signature: `ed25519:${bs58.encode(bytes)}` }
}

const login = (connection: Connection) => {
  const message = JSON.stringify({
    deadline: new Date(Date.now() + 300_000).toISOString(),
    intents: [],
    signer_id: connection.account.signerId
  })
  const nonce = createHash("sha256").update(message).digest("base64")
  const signedData = signed(connection, { message, nonce, recipient: connection.verifier })
  return { signedData } as unknown as Parameters<typeof UserAuthService.authenticate>[0]
}

/** Looks until a swap is over. */
const end = async (depositAddress: string) => {
  for (let look = 0; look < 200; look += 1) {
    const found = await OneClickService.getExecutionStatus(depositAddress)
    if (["SUCCESS", "REFUNDED", "FAILED"].includes(found.status)) return found
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`swap ${depositAddress} does not end`)
}

const soon = [20, 60] as const
const quick = { recognitionMillis: soon, chainRecognitionMillis: soon, swapMillis: soon, payoutMillis: soon }

const withClient = (act: (connection: Connection) => Promise<void>) =>
  Effect.gen(function* () {
    const connection = yield* SandboxServer.SandboxConnection
    OpenAPI.BASE = connection.url
    OpenAPI.HEADERS = { "X-API-Key": connection.apiKey }
    OpenAPI.TOKEN = connection.partnerJwt
    yield* Effect.promise(() => act(connection))
  }).pipe(Effect.provide(SandboxServer.layer({ ledger: "near", settings: quick })))

const refusal = (attempt: Promise<unknown>): Promise<ApiError> =>
  attempt.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => (error instanceof ApiError ? error : assert.fail(String(error)))
  )

describe("a public client", () => {
  it.live("runs its calls as its own README sets it up, with the token alone", () =>
    withClient(async (connection) => {
      OpenAPI.HEADERS = {}
      const { quote } = await OneClickService.getQuote(quoteRequest(connection))
      const depositAddress = quote.depositAddress ?? ""
      const told = await OneClickService.submitDepositTx({ txHash: "0x1", depositAddress })
      assert.strictEqual(told.status, "PENDING_DEPOSIT")
      assert.strictEqual((await OneClickService.getExecutionStatus(depositAddress)).status, "PENDING_DEPOSIT")
      assert.isAbove((await OneClickService.getTokens()).length, 0)
    })
  )

  it.live("lists tokens, gets a quote and verifies its signature by its own means", () =>
    withClient(async (connection) => {
      const tokens = await OneClickService.getTokens()
      assert.include(
        tokens.map(({ assetId }) => assetId),
        btc
      )
      for (const changes of [
        {},
        { dry: true },
        { swapType: "EXACT_OUTPUT", amount: "500000000" },
        { swapType: "FLEX_INPUT" },
        { depositType: "ORIGIN_CHAIN", depositMode: "MEMO", refundTo: "bc1q", refundType: "ORIGIN_CHAIN" },
        { appFees: [{ recipient: "fees.near", fee: 25 }], customRecipientMsg: "hello" }
      ]) {
        const quote = await OneClickService.getQuote(quoteRequest(connection, changes))
        const response = quote as unknown as Parameters<typeof verifyQuoteSignature>[0]
        assert.isTrue(verifyQuoteSignature(response, connection.quoteKey), JSON.stringify(changes))
        const tampered = { ...response, quote: { ...response.quote, amountOut: "1" } } as typeof response
        assert.isFalse(verifyQuoteSignature(tampered, connection.quoteKey))
      }
    })
  )

  it.live("funds a swap by a signed intent and follows it to its end", () =>
    withClient(async (connection) => {
      const { quote } = await OneClickService.getQuote(quoteRequest(connection))
      const depositAddress = quote.depositAddress ?? assert.fail("no deposit address")
      const { intent } = await OneClickService.generateIntent({
        type: "swap_transfer",
        standard: "nep413",
        signerId: connection.account.signerId,
        depositAddress
      } as GenerateSwapTransferIntentRequest)
      const { payload } = intent as unknown as { payload: Payload }
      const signedData = signed(connection, payload)
      const submission = { type: "swap_transfer", signedData } as unknown as SubmitSwapTransferIntentRequest
      const { intentHash } = await OneClickService.submitIntent(submission)
      const over = await end(depositAddress)
      assert.strictEqual(over.status, "SUCCESS")
      assert.deepStrictEqual(over.swapDetails.intentHashes, [intentHash])
      assert.isAtLeast(over.swapDetails.nearTxHashes.length, 1, "the hashes of the home ledger under its own name")
      assert.isAtLeast(Number(over.swapDetails.amountOut), Number(quote.minAmountOut))
    })
  )

  it.live("reports a deposit on a chain", () =>
    withClient(async (connection) => {
      const onChain = { depositType: "ORIGIN_CHAIN", refundType: "ORIGIN_CHAIN", refundTo: "bc1q" }
      const { quote } = await OneClickService.getQuote(quoteRequest(connection, onChain))
      const depositAddress = quote.depositAddress ?? assert.fail("no deposit address")
      const paid = await fetch(`${connection.url}/sandbox/deposit`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ depositAddress, asset: btc, amount: quote.amountIn, sender: "bc1q" })
      })
      const { txHash } = (await paid.json()) as { txHash: string }
      const told = await OneClickService.submitDepositTx({ txHash, depositAddress, nearSenderAccount: "bc1q" })
      assert.include(["KNOWN_DEPOSIT_TX", "PROCESSING", "SUCCESS"], told.status)
      const over = await end(depositAddress)
      assert.strictEqual(over.status, "SUCCESS")
      assert.strictEqual(over.swapDetails.originChainTxHashes[0]?.hash, txHash)
    })
  )

  it.live("lists what a swap of any input has paid out", () =>
    withClient(async (connection) => {
      const { quote } = await OneClickService.getQuote(quoteRequest(connection, { swapType: "ANY_INPUT" }))
      const depositAddress = quote.depositAddress ?? assert.fail("no deposit address")
      await fetch(`${connection.url}/sandbox/deposit`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ depositAddress, asset: btc, amount: "1000000", sender: "bc1q" })
      })
      for (let look = 0; look < 100; look += 1) {
        const { asset, withdrawals } = await OneClickService.getAnyInputQuoteWithdrawals(depositAddress)
        assert.strictEqual(asset, usdc)
        if (Array.isArray(withdrawals) && withdrawals.length === 1) return
        await new Promise((done) => setTimeout(done, 50))
      }
      assert.fail("nothing was paid out")
    })
  )

  it.live("authenticates an end user, renews the session, reads balances and history", () =>
    withClient(async (connection) => {
      await OneClickService.getQuote(quoteRequest(connection))
      const session = await UserAuthService.authenticate(login(connection))
      const renewed = await UserAuthService.refresh({ refreshToken: session.refreshToken })
      OpenAPI.TOKEN = renewed.accessToken
      OpenAPI.HEADERS = {}
      const { balances } = await AccountService.getBalances([btc])
      assert.deepStrictEqual(
        balances.map(({ source, tokenId }) => [tokenId, source]),
        [[btc, "private"]]
      )
      assert.isAbove((await AccountService.getBalances()).balances.length, 1)
      const { items } = await AccountService.getHistory(undefined, undefined, undefined, 5)
      assert.strictEqual(items[0]?.status, "PENDING_DEPOSIT")
      const byKinds = (deposit: "INTENTS" | "ORIGIN_CHAIN") =>
        AccountService.getHistory(
          undefined,
          undefined,
          ["PENDING_DEPOSIT", "SUCCESS"],
          5,
          undefined,
          undefined,
          undefined,
          ["CONFIDENTIAL_INTENTS", deposit],
          ["null", "INTENTS"],
          ["null", "null"]
        )
      assert.lengthOf((await byKinds("INTENTS")).items, 1)
      assert.lengthOf((await byKinds("ORIGIN_CHAIN")).items, 0)
    })
  )

  it.live("understands refusals", () =>
    withClient(async (connection) => {
      const small = await refusal(OneClickService.getQuote(quoteRequest(connection, { amount: "0" })))
      assert.strictEqual(small.status, 400)
      assert.isString(small.body.message)
      assert.strictEqual((await refusal(OneClickService.getExecutionStatus("nowhere"))).status, 404)
      OpenAPI.TOKEN = "wrong"
      OpenAPI.HEADERS = {}
      assert.strictEqual((await refusal(AccountService.getBalances())).status, 401)
    })
  )
})
