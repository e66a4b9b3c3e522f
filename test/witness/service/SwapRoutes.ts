/** Quotes and the swaps that come of them: signed, two seconds long, and told with nulls as long as nothing is sure. */
import { randomBytes, randomUUID } from "node:crypto"
import { type Asset, assetOf, type Books, base, formatted, inBase, inQuote, inUsd, purse } from "./Books.ts"
import { at, iso, kinds, type Reply, recipientKinds } from "./Json.ts"
import { quoteSignature } from "./Signatures.ts"

const swapMillis = 400
const names =
  "dry swapType slippageTolerance originAsset depositType destinationAsset amount refundTo refundType".split(" ")
const required = [...names, "recipient", "recipientType", "deadline"]

export interface Swap {
  readonly request: Readonly<Record<string, unknown>>
  readonly quoted: object
  readonly address: string
  readonly memo: string | undefined
  readonly input: Asset
  readonly output: Asset
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly createdAt: number
  readonly hashes: Array<string>
  readonly sender: Array<string>
  paid: bigint
  paidAt: number | undefined
  status: "PENDING_DEPOSIT" | "PROCESSING" | "SUCCESS"
  updatedAt: number
}

const message = (status: number, text: string): Reply => ({ status, body: { hint: null, message: text } })

export class SwapRoutes {
  readonly all: Array<Swap> = []
  readonly #books: Books

  constructor(books: Books) {
    this.#books = books
    books.onSettle((now) => {
      for (const swap of this.all) this.#settle(swap, now)
    })
  }

  #settle(swap: Swap, now: number): void {
    const { address, input, output, paidAt, request } = swap
    if (paidAt === undefined || swap.status === "SUCCESS" || now < paidAt + swapMillis / 2) return
    swap.status = "PROCESSING"
    swap.updatedAt = paidAt + swapMillis / 2
    if (now < paidAt + swapMillis) return
    swap.status = "SUCCESS"
    swap.updatedAt = paidAt + swapMillis
    this.#books.move(address, "house", input, swap.amountIn)
    this.#books.move(
      address,
      purse(String(request["refundType"]), String(request["refundTo"])),
      input,
      swap.paid - swap.amountIn
    )
    this.#books.move(
      "house",
      purse(String(request["recipientType"]), String(request["recipient"])),
      output,
      swap.amountOut
    )
  }

  quote(body: unknown, isPartner: boolean): Reply {
    const valueOf = (name: string) => at(body, name)
    const missing = required.filter((name) => valueOf(name) === undefined)
    if (missing.length > 0) return message(422, `not given: ${missing.join(", ")}`)
    const [input, output] = [assetOf(valueOf("originAsset")), assetOf(valueOf("destinationAsset"))]
    if (input === undefined || output === undefined || input === output) return message(422, "no such pair")
    const isRight =
      ["EXACT_INPUT", "EXACT_OUTPUT"].includes(String(valueOf("swapType"))) &&
      /^[1-9]\d*$/.test(String(valueOf("amount"))) &&
      [kinds, kinds, recipientKinds].every((known, index) =>
        known.includes(String(valueOf(["depositType", "refundType", "recipientType"][index] ?? "")))
      ) &&
      ["recipient", "refundTo"].every((name) => typeof valueOf(name) === "string") &&
      typeof valueOf("dry") === "boolean"
    if (!isRight) return message(422, "a field is not what it should be")
    const request = typeof body === "object" && body !== null ? Object.fromEntries(Object.entries(body)) : {}
    return this.#quoted(request, input, output, isPartner)
  }

  #quoted(request: Record<string, unknown>, input: Asset, output: Asset, isPartner: boolean): Reply {
    const now = this.#books.now()
    const exact = BigInt(String(request["amount"]))
    const convert = (units: bigint, from: Asset) =>
      from === base ? inQuote(units, this.#books.mid, "down") : inBase(units, this.#books.mid)
    const keeps = isPartner ? 9_990n : 9_970n
    const isExactIn = request["swapType"] === "EXACT_INPUT"
    const amountIn = isExactIn ? exact : (convert(exact, output) * 10_000n) / keeps + 1n
    const amountOut = isExactIn ? (convert(exact, input) * keeps) / 10_000n : exact
    if (amountOut === 0n) return message(400, "Amount is too low for bridge, try at least 1000")
    const slippage = BigInt(Math.round(Number(request["slippageTolerance"])))
    const dry = request["dry"] === true
    const memo = request["depositMode"] === "MEMO" ? `m${randomBytes(6).toString("hex")}` : undefined
    const address = `swap.${randomBytes(12).toString("hex")}`
    const quoted = {
      timeEstimate: 2.5,
      amountOut: String(amountOut),
      amountOutFormatted: formatted(amountOut, output),
      amountOutUsd: inUsd(amountOut, output, this.#books.mid),
      minAmountOut: String((amountOut * (10_000n - slippage)) / 10_000n),
      amountIn: String(amountIn),
      amountInFormatted: formatted(amountIn, input),
      amountInUsd: inUsd(amountIn, input, this.#books.mid),
      minAmountIn: String(isExactIn ? amountIn : (amountIn * (10_000n - slippage)) / 10_000n),
      ...(dry
        ? {}
        : {
            depositAddress: address,
            deadline: request["deadline"],
            timeWhenInactive: request["deadline"],
            depositMemo: memo
          })
    }
    const timestamp = iso(now)
    const response = {
      quote: quoted,
      quoteRequest: { ...request, depositMode: request["depositMode"] ?? "SIMPLE" },
      signature: quoteSignature(request, quoted, timestamp),
      timestamp,
      correlationId: randomUUID(),
      route: "witness"
    }
    if (!dry) {
      const state = { paid: 0n, paidAt: undefined, status: "PENDING_DEPOSIT", updatedAt: now } as const
      const lists = { hashes: [], sender: [] }
      this.all.unshift({
        request,
        quoted: response,
        address,
        memo,
        input,
        output,
        amountIn,
        amountOut,
        createdAt: now,
        ...lists,
        ...state
      })
    }
    return { status: 201, body: response }
  }

  byAddress(address: unknown): Swap | undefined {
    return this.all.find((swap) => swap.address === address)
  }
  missing(swap: Swap): bigint {
    return swap.amountIn - swap.paid
  }
  pay(swap: Swap, from: string, units: bigint, hash: string): void {
    this.#books.move(purse(String(swap.request["depositType"]), from), swap.address, swap.input, units)
    swap.paid += units
    swap.hashes.push(hash)
    swap.sender.push(from)
    if (swap.paid >= swap.amountIn) swap.paidAt ??= this.#books.now()
  }

  #found(address: unknown, memo: unknown): Swap | undefined {
    const swap = this.byAddress(address)
    return swap?.memo === undefined || swap.memo === memo ? swap : undefined
  }
  status(query: URLSearchParams): Reply {
    const swap = this.#found(query.get("depositAddress"), query.get("depositMemo"))
    return swap === undefined
      ? message(404, "nothing is known of this address")
      : { status: 200, body: this.#record(swap) }
  }
  /** It looks the transaction up, and believes in none that is not on a chain. */
  submit(body: unknown): Reply {
    if (typeof at(body, "txHash") !== "string" || typeof at(body, "depositAddress") !== "string")
      return message(400, "which?")
    const swap = this.#found(at(body, "depositAddress"), at(body, "memo"))
    if (swap === undefined) return message(404, "nothing is known of this address")
    return /^0x[0-9a-f]{64}$/.test(String(at(body, "txHash")))
      ? { status: 202, body: this.#record(swap) }
      : message(422, "no chain has this transaction")
  }

  #record(swap: Swap) {
    const isDone = swap.status === "SUCCESS"
    const or = (value: string) => (isDone ? value : null)
    const details = {
      amountOut: or(String(swap.amountOut)),
      amountOutFormatted: or(formatted(swap.amountOut, swap.output)),
      amountIn: or(String(swap.amountIn)),
      amountInFormatted: or(formatted(swap.amountIn, swap.input)),
      refundedAmount: null,
      destinationChainTxHashes: [],
      originChainTxHashes: [],
      nativeTxHashes: [],
      intentHashes: swap.hashes
    }
    return {
      swapDetails: details,
      updatedAt: iso(swap.updatedAt),
      status: swap.status,
      quoteResponse: swap.quoted,
      correlationId: randomUUID()
    }
  }
}
