/**
 * Nonces of signed payloads, and transactions of payments. The verifier executes one payload for each nonce. Its refusal of a second one
 * (nonce used) proves execution, so a payload with a known nonce is not signed. A process knows those that it signed and those in its state.
 */
import { Option, Schema } from "effect"
import type { BotState } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"

/** More than a bot signs or pays while a payload lives. */
const most = 10_000

const decodePayload = Schema.decodeUnknownOption(Schema.Struct({ nonce: Schema.String }))
const decodeSigned = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ signedData: Schema.Struct({ payload: Schema.Struct({ nonce: Schema.String }) }) })
  )
)

const nonceIn = (payload: unknown): string | undefined => Option.getOrUndefined(decodePayload(payload))?.nonce

export const make = ({ placements }: Pick<BotState, "placements">) => {
  const nonces = new Set<string>()
  /** Adds the nonce of the signed payload. It may differ from the requested one: a signer repeats an earlier signature. */
  const add = (signed: string): void => {
    const nonce = Option.getOrUndefined(decodeSigned(signed))?.signedData.payload.nonce
    if (nonce === undefined) return
    nonces.add(nonce)
    const [oldest] = nonces
    if (nonces.size > most && oldest !== undefined) nonces.delete(oldest)
  }
  for (const { funding } of placements.values()) if (funding !== undefined) add(funding.signed)
  /** Reserves the nonce during signing. Returns a function that releases it if nothing was signed. */
  const take = (payload: unknown): (() => void) => {
    const nonce = nonceIn(payload)
    if (nonce !== undefined) nonces.add(nonce)
    return () => void nonces.delete(nonce ?? "")
  }
  return { isKnown: (payload: unknown): boolean => nonces.has(nonceIn(payload) ?? ""), take, add }
}

/** Transactions of this process's payments, one for each. A repeated transaction proves no second payment. */
export const namedTransactions = () => {
  const payersByHash = new Map<string, string>()
  return {
    payerOf: (txHash: string, placements: Iterable<Placement>): string | undefined =>
      payersByHash.get(txHash) ?? [...placements].find(({ funding }) => funding?.payment?.txHash === txHash)?.id,
    note: (txHash: string, placement: string): void => {
      payersByHash.set(txHash, placement)
      const [oldest] = payersByHash.keys()
      if (payersByHash.size > most && oldest !== undefined) payersByHash.delete(oldest)
    }
  }
}
