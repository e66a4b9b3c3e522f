/** Sections 2.4, 2.5, 3.1 and 4.1 to 4.3: quotes, the status of a swap, and word of a deposit. */
import { type Check, check } from "../Check.ts"
import {
  amount,
  decimal,
  depositTypes,
  fees,
  filled,
  flag,
  listOf,
  number,
  object,
  oneOf,
  type Row,
  recipientTypes,
  rows,
  shaped,
  text,
  time
} from "../Fields.ts"
import { isRefused, mayBeRefused, mustBeRefused, mustSayWhy } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, isRecord, same, that, usual } from "../Seen.ts"
import type { As, World } from "../World.ts"

export const refundReasons = [
  "AMOUNT_LESS_THAN_MIN_AMOUNT_OUT",
  "AMOUNT_MORE_THAN_BALANCE",
  "INTENT_SUBMIT_FAILED",
  "PARTIAL_DEPOSIT",
  "CIRCUIT_BREAKER_BLOCKED",
  "FEE_ESTIMATION_FAILED",
  "NO_LIQUIDITY",
  "AMOUNT_LESS_THAN_MIN_WITHDRAWABLE",
  "INSUFFICIENT_BALANCE",
  "REFUND_ADD_FAILED",
  "UNKNOWN"
]
const swapStatuses = [
  "KNOWN_DEPOSIT_TX",
  "PENDING_DEPOSIT",
  "INCOMPLETE_DEPOSIT",
  "PROCESSING",
  "SUCCESS",
  "REFUNDED",
  "FAILED"
]

const echoRows: ReadonlyArray<Row> = [
  ["dry", "required", flag],
  ["swapType", "required", oneOf("EXACT_INPUT", "EXACT_OUTPUT", "FLEX_INPUT", "ANY_INPUT")],
  ["slippageTolerance", "required", number],
  ["originAsset", "required", filled],
  ["destinationAsset", "required", filled],
  ["depositType", "required", oneOf(...depositTypes)],
  ["amount", "required", amount],
  ["refundTo", "required", filled],
  ["refundType", "required", oneOf(...depositTypes)],
  ["recipient", "required", filled],
  ["recipientType", "required", oneOf(...recipientTypes)],
  ["deadline", "required", time],
  ["depositMode", "sometimes", oneOf("SIMPLE", "MEMO")],
  ["connectedWallets", "sometimes", listOf(text)],
  ["sessionId", "sometimes", text],
  ["virtualChainRecipient", "sometimes", text],
  ["virtualChainRefundRecipient", "sometimes", text],
  ["customRecipientMsg", "sometimes", text],
  ["confidentiality", "sometimes", oneOf("public", "basic", "advanced")],
  ["referral", "sometimes", text],
  ["rebates", "sometimes", listOf(shaped({ recipient: text, share: number }))],
  ["quoteWaitingTimeMs", "sometimes", number],
  ["appFees", "sometimes", fees],
  ["insured", "sometimes", flag]
]

const responseRows: ReadonlyArray<Row> = [
  ["correlationId", "required", filled],
  ["timestamp", "required", time],
  ["signature", "required", text],
  ["quoteRequest", "required", object],
  ["quote", "required", object]
]

const amountRows: ReadonlyArray<Row> = [
  ["amountIn", "required", amount],
  ["amountInFormatted", "required", decimal],
  ["amountInUsd", "required", decimal],
  ["minAmountIn", "required", amount],
  ["amountOut", "required", amount],
  ["amountOutFormatted", "required", decimal],
  ["amountOutUsd", "required", decimal],
  ["minAmountOut", "required", amount],
  ["timeEstimate", "required", number],
  ["refundFee", "sometimes", amount],
  ["withdrawFee", "sometimes", amount]
]

const addressRows: ReadonlyArray<Row> = [
  ["depositAddress", "required", filled],
  ["chainDepositAddresses", "sometimes", listOf(shaped({ blockchain: text, address: text }))],
  ["deadline", "sometimes", time],
  ["timeWhenInactive", "sometimes", time],
  ["virtualChainRecipient", "sometimes", text],
  ["virtualChainRefundRecipient", "sometimes", text],
  ["customRecipientMsg", "sometimes", text]
]

const statusRows: ReadonlyArray<Row> = [
  ["correlationId", "required", filled],
  ["quoteResponse", "required", object],
  ["status", "required", oneOf(...swapStatuses)],
  ["updatedAt", "required", time],
  ["swapDetails", "required", object]
]

const hashes = listOf(shaped({ hash: text, explorerUrl: text }))

const detailRows = (ledger: string): ReadonlyArray<Row> => [
  ["intentHashes", "required", listOf(text)],
  [`${ledger}TxHashes`, "required", listOf(text)],
  ["originChainTxHashes", "required", hashes],
  ["destinationChainTxHashes", "required", hashes],
  ["amountIn", "sometimes", amount],
  ["amountInFormatted", "sometimes", decimal],
  ["amountInUsd", "sometimes", decimal],
  ["amountOut", "sometimes", amount],
  ["amountOutFormatted", "sometimes", decimal],
  ["amountOutUsd", "sometimes", decimal],
  ["slippage", "sometimes", number],
  ["refundedAmount", "sometimes", amount],
  ["refundedAmountFormatted", "sometimes", decimal],
  ["refundedAmountUsd", "sometimes", decimal],
  ["refundReason", "sometimes", text],
  ["depositedAmount", "sometimes", amount],
  ["depositedAmountFormatted", "sometimes", decimal],
  ["depositedAmountUsd", "sometimes", decimal],
  ["withdrawFee", "sometimes", amount],
  ["referral", "sometimes", text]
]

const part =
  (scene: (world: World) => Promise<{ readonly body: unknown }>, path = "") =>
  async (world: World) => {
    const { body } = await scene(world)
    return [path === "" ? body : at(body, path)]
  }

const paidStatuses = (path: string) => async (world: World) => {
  const { seen: paid } = await Scenes.paidSwap(world)
  const seen = [
    ...paid,
    ...(await Scenes.toldSwap(world, "NO_LIQUIDITY").then(
      (refunded) => [refunded],
      () => []
    ))
  ]
  return seen.map(({ body }) => (path === "" ? body : at(body, path)))
}

const echoed = Object.keys(Scenes.everyQuoteField).map((name) =>
  check(`2.5.echo.${name}`, `\`quoteResponse.quoteRequest\` echoes \`${name}\` as it was sent`, async (world) => {
    const found = at((await Scenes.fullQuote(world)).body, `quoteRequest.${name}`)
    usual(found !== undefined, "it is not echoed")
    same(found, Scenes.everyQuoteField[name], name)
    return undefined
  })
)

const nineFields = [
  "dry",
  "swapType",
  "originAsset",
  "destinationAsset",
  "amount",
  "recipient",
  "recipientType",
  "refundTo",
  "refundType"
]

const example = (world: World) =>
  world.once("quote example", async () => {
    const {
      depositType: _,
      deadline: __,
      slippageTolerance: ___,
      ...fields
    } = await Scenes.quoteFields(world, {
      refundTo: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
      refundType: "ORIGIN_CHAIN"
    })
    const answer = await world.post("/v0/quote", fields, "partner token")
    usual(!isRefused(answer), `the example needs more fields: ${answer.status} ${answer.text.slice(0, 200)}`)
    that(answer.status < 300, `the example is answered ${answer.status}`)
    return answer
  })

const quoting: ReadonlyArray<Check> = [
  check("4.1.example", "The documented example with its nine fields is quoted", async (world) => {
    await example(world)
    return undefined
  }),
  ...nineFields.map((name) =>
    check(`4.1.example.${name}`, `The echo of the example holds \`${name}\``, async (world) => {
      that(at((await example(world)).body, `quoteRequest.${name}`) !== undefined, "it is absent")
      return undefined
    })
  ),
  ...nineFields
    .filter((name) => name !== "dry")
    .map((name) =>
      check(`4.1.wrong.${name}`, `A quote request whose \`${name}\` is no such value is refused`, async (world) =>
        mayBeRefused(await Scenes.quote(world, { [name]: 5 }))
      )
    ),
  check("4.1.dry", "A dry quote has no deposit address", async (world) => {
    that(at((await Scenes.dryQuote(world)).body, "quote.depositAddress") == null, "it has one")
    return undefined
  }),
  check("4.1.bounds", "`minAmountOut` is not more than `amountOut`", async (world) => {
    const { body } = await Scenes.dryQuote(world)
    const [least, out] = ["minAmountOut", "amountOut"].map((name) => BigInt(String(at(body, `quote.${name}`))))
    that((least ?? 0n) <= (out ?? 0n), `${least} is more than ${out}`)
    return undefined
  }),
  check("4.1.exact-input", "For EXACT_INPUT `amountIn` is the amount that was asked", async (world) => {
    same(at((await Scenes.dryQuote(world)).body, "quote.amountIn"), await world.quantity(), "amountIn")
    return undefined
  }),
  check("1.platform-fee", "Requests without a partner's credential pay a platform fee of 0.2 %", async (world) => {
    const { withoutPartner, withPartner } = world.facts.fees
    if (withoutPartner - withPartner !== 20) return cannotShow("the profile has another fee: fees.withoutPartner")
    const fields = await Scenes.quoteFields(world)
    const ofNobody = await world.post("/v0/quote", fields, "nobody")
    if (ofNobody.status >= 400) return cannotShow(`anonymous quotes are refused: ${ofNobody.status}`)
    const amountOf = async (as: As) => Number(at((await world.post("/v0/quote", fields, as)).body, "quote.amountOut"))
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const [more, less] = [await amountOf("partner token"), await amountOf("nobody")]
      if (more !== (await amountOf("partner token"))) continue
      const share = 1 - less / more
      that(share > 0.0015 && share < 0.0025, `the difference is ${(share * 100).toFixed(3)} %`)
      return `${(share * 100).toFixed(3)} %`
    }
    return cannotShow("the price moved between all quotes")
  }),
  check(
    "2.1.formatted",
    "Fields with the suffix Formatted are the amount scaled to the asset's decimals",
    async (world) => {
      const { body } = await Scenes.dryQuote(world)
      const { base } = await world.assets()
      const scaled = Number(at(body, "quote.amountIn")) / 10 ** base.decimals
      that(Math.abs(scaled - Number(at(body, "quote.amountInFormatted"))) < scaled * 1e-9, "they differ")
      return undefined
    }
  ),
  check("2.5.memo", "A deposit in mode MEMO gets a `depositMemo`, or is refused in words", async (world) => {
    const { body } = await Scenes.memoQuote(world)
    usual(typeof at(body, "quote.depositMemo") === "string", "there is no memo")
    return undefined
  })
]

const status = (world: World) => Scenes.pendingStatus(world)

const asking: ReadonlyArray<Check> = [
  check("4.2.unknown", "Word of a deposit to an unknown address is refused with {message}", async (world) => {
    const answer = await world.post("/v0/deposit/submit", { txHash: "0x1", depositAddress: "no-such-address" })
    mayBeRefused(answer)
    return mustSayWhy(answer)
  }),
  ...["txHash", "depositAddress"].map((name) =>
    check(`4.2.required.${name}`, `\`${name}\` is needed to tell of a deposit`, async (world) => {
      const body = { txHash: "0x1", depositAddress: "no-such-address", [name]: undefined }
      return mustBeRefused(await world.post("/v0/deposit/submit", body))
    })
  ),
  check("4.2.sender", "`nativeSenderAccount` (in the ledger's spelling) and `memo` are taken", async (world) => {
    const quoted = await Scenes.memoQuote(world)
    const answer = await world.post("/v0/deposit/submit", {
      txHash: "0xconformance",
      depositAddress: at(quoted.body, "quote.depositAddress"),
      memo: at(quoted.body, "quote.depositMemo"),
      [`${world.ledger}SenderAccount`]: "alice"
    })
    usual(!isRefused(answer), `no such transaction is believed: ${answer.status} ${answer.text.slice(0, 120)}`)
    that(answer.status < 300, `it is answered ${answer.status}: ${answer.text.slice(0, 120)}`)
    return undefined
  }),
  check("4.3.unknown", "The status of an unknown address is refused with {message}", async (world) => {
    const answer = await world.get("/v0/status?depositAddress=no-such-address")
    mustBeRefused(answer)
    return mustSayWhy(answer)
  }),
  check("4.3.memo", "When the quote had a deposit memo, the memo is required as well", async (world) => {
    const quoted = await Scenes.memoQuote(world)
    const address = encodeURIComponent(String(at(quoted.body, "quote.depositAddress")))
    const answer = await world.get(`/v0/status?depositAddress=${address}`)
    that(answer.status >= 400, `without it the answer is ${answer.status}`)
    await Scenes.statusOf(world, quoted)
    return undefined
  }),
  check("4.3.quote", "The record holds the original quote response", async (world) => {
    const quoted = await Scenes.swapQuote(world, "unpaid")
    const { body } = await status(world)
    for (const path of ["quote.depositAddress", "quote.amountIn", "quote.minAmountOut", "quoteRequest.recipient"]) {
      same(at(body, `quoteResponse.${path}`), at(quoted.body, path), path)
    }
    return undefined
  }),
  check("3.1.unpaid", "An address that nobody paid is PENDING_DEPOSIT", async (world) => {
    same(at((await status(world)).body, "status"), "PENDING_DEPOSIT", "status")
    return undefined
  }),
  check("3.1.end", "A paid swap ends, and says what was paid out", async (world) => {
    const { quoted, seen } = await Scenes.paidSwap(world)
    const last = seen.at(-1)?.body
    if (at(last, "status") !== "SUCCESS") return cannotShow(`it ended ${at(last, "status")}`)
    const out = at(last, "swapDetails.amountOut")
    if (typeof out !== "string") return cannotShow("it does not say amountOut")
    that(BigInt(out) >= BigInt(String(at(quoted.body, "quote.minAmountOut"))), `${out} is less than minAmountOut`)
    return out
  }),
  check("3.1.forward", "The status of a swap only moves forward", async (world) => {
    const { seen } = await Scenes.paidSwap(world)
    const order = ["PENDING_DEPOSIT", "KNOWN_DEPOSIT_TX", "INCOMPLETE_DEPOSIT", "PROCESSING", "SUCCESS"]
    const places = seen.map(({ body }) => order.indexOf(String(at(body, "status")))).filter((place) => place >= 0)
    usual(
      places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0)),
      places.map((place) => order[place]).join(" → ")
    )
    return undefined
  })
]

const statusesSeen = (world: World): ReadonlySet<string> =>
  new Set(
    world.seen
      .filter(({ path }) => path === "/v0/status" || path === "/v0/deposit/submit")
      .map(({ answer }) => String(at(answer.body, "status")))
  )

const states = swapStatuses.map((name) =>
  check(`3.1.state.${name}`, `A swap can be ${name}`, async (world) => {
    await Promise.all(
      [Scenes.pendingStatus, Scenes.paidSwap, Scenes.shortDeposit].map((scene) =>
        Promise.resolve(scene(world)).catch(() => undefined)
      )
    )
    if (name === "FAILED") await Scenes.toldSwap(world, "FAILED")
    if (name === "REFUNDED") await Scenes.toldSwap(world, "NO_LIQUIDITY")
    return statusesSeen(world).has(name) ? undefined : cannotShow("it was not seen; it may pass too quickly")
  })
)

const reasons = refundReasons.map((reason) =>
  check(`2.2.refundReason.${reason}`, `${reason} is a reason for a refund`, async (world) => {
    const { body } = await Scenes.toldSwap(world, reason)
    same(at(body, "status"), "REFUNDED", "status")
    same(at(body, "swapDetails.refundReason"), reason, "refundReason")
    return undefined
  })
)

const own = (names: ReadonlyArray<string>) => names.filter((name) => name !== "")

export const swapChecks = (ledger: string): ReadonlyArray<Check> => [
  ...rows("2.5.response", "Quote response", responseRows, part(Scenes.dryQuote)),
  ...rows("2.5.request", "Echo of the quote request", echoRows, part(Scenes.fullQuote, "quoteRequest")),
  ...rows("2.5.quote", "Dry quote", amountRows, part(Scenes.dryQuote, "quote")),
  ...rows("2.5.quote.real", "Quote with an address", [...amountRows, ...addressRows], part(Scenes.fullQuote, "quote")),
  ...echoed,
  ...quoting,
  ...rows("2.4.status", "Status of an unpaid swap", statusRows, part(Scenes.pendingStatus)),
  ...rows(
    "2.4.status.details",
    "Details of an unpaid swap",
    detailRows(ledger).slice(0, 4),
    part(Scenes.pendingStatus, "swapDetails")
  ),
  ...rows("2.4.submit", "Answer to word of a deposit", statusRows, part(Scenes.submitted)),
  ...rows(
    "2.4.submit.details",
    "Details in the answer to word of a deposit",
    detailRows(ledger).slice(0, 4),
    part(Scenes.submitted, "swapDetails")
  ),
  ...rows("2.4.paid", "Status of a paid swap", statusRows, paidStatuses("")),
  ...rows("2.4.paid.details", "Details of a paid swap", detailRows(ledger), paidStatuses("swapDetails")),
  ...asking,
  ...states,
  ...reasons,
  check(
    "2.4.quoteResponse",
    "The quote response inside a status record has the fields of a quote response",
    async (world) => {
      const found = at((await Scenes.pendingStatus(world)).body, "quoteResponse")
      const names = isRecord(found) ? own(Object.keys(found)) : []
      for (const [name] of responseRows) that(names.includes(name), `${name} is absent`)
      return undefined
    }
  )
]
