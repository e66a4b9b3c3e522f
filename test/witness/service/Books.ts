/**
 * The money of the witness: who has how much of what on which of its two ledgers, the price, and the time. Nothing here is made
 * from nothing: what one account gains another loses, so that the sums can be looked at afterwards.
 */

export interface Asset {
  readonly id: string
  readonly decimals: number
}
export const base: Asset = { id: "nep141:btc.omft.native", decimals: 8 }
export const quote: Asset = { id: "nep141:usdc.omft.native", decimals: 6 }
export const assetOf = (id: unknown): Asset | undefined => [base, quote].find((asset) => asset.id === id)

/** An exact price: quote per one base. */
export interface Ratio {
  readonly over: bigint
  readonly under: bigint
}
export const ratioOf = (text: string): Ratio => {
  const [whole = "0", rest = ""] = text.split(".")
  return { over: BigInt(whole + rest), under: 10n ** BigInt(rest.length) }
}
export const times = (a: Ratio, b: Ratio): Ratio => ({ over: a.over * b.over, under: a.under * b.under })
export const middle = (a: Ratio, b: Ratio): Ratio => ({
  over: a.over * b.under + b.over * a.under,
  under: 2n * a.under * b.under
})
export const isLess = (a: Ratio, b: Ratio): boolean => a.over * b.under < b.over * a.under
export const up = (over: bigint, under: bigint): bigint => (over + under - 1n) / under

/** Both ways between the smallest units of base and of quote at a price. */
export const inQuote = (units: bigint, { over, under }: Ratio, round: "up" | "down"): bigint => {
  const [top, bottom] = [units * over * 10n ** BigInt(quote.decimals), under * 10n ** BigInt(base.decimals)]
  return round === "up" ? up(top, bottom) : top / bottom
}
export const inBase = (units: bigint, { over, under }: Ratio): bigint =>
  (units * under * 10n ** BigInt(base.decimals)) / (over * 10n ** BigInt(quote.decimals))

export const formatted = (units: bigint, { decimals }: Asset): string => {
  const digits = String(units).padStart(decimals + 1, "0")
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
export const inUsd = (units: bigint, asset: Asset, price: Ratio): string =>
  formatted(asset === quote ? units : inQuote(units, price, "down"), quote)

/** Where money lies: deposits of kind INTENTS come from the public ledger, CONFIDENTIAL_INTENTS from the private one. */
export const purse = (kind: string, account: string): string =>
  kind === "INTENTS" ? `public:${account}` : kind === "CONFIDENTIAL_INTENTS" ? `private:${account}` : `chain:${account}`

export class Books {
  readonly #held = new Map<string, bigint>()
  #mid: Ratio = ratioOf("58321.7")
  #skippedMillis = 0
  #settlers: Array<(now: number) => void> = []

  /** The time of this service: the machine's, and what a test skipped. */
  now(): number {
    return Date.now() + this.#skippedMillis
  }
  skip(millis: number): void {
    this.#skippedMillis += millis
  }

  onSettle(settler: (now: number) => void): void {
    this.#settlers.push(settler)
  }
  settle(): void {
    const now = this.now()
    for (const settler of this.#settlers) settler(now)
  }

  get mid(): Ratio {
    return this.#mid
  }
  /** What was due before is done at the price before. */
  setMid(price: string): void {
    this.settle()
    this.#mid = ratioOf(price)
  }

  held(account: string, asset: Asset): bigint {
    return this.#held.get(`${account} ${asset.id}`) ?? 0n
  }
  move(from: string, to: string, asset: Asset, units: bigint): void {
    if (units < 0n) throw new Error(`${units} from ${from} to ${to}`)
    this.#held.set(`${from} ${asset.id}`, this.held(from, asset) - units)
    this.#held.set(`${to} ${asset.id}`, this.held(to, asset) + units)
  }
}
