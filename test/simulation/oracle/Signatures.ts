/**
 * I5: whatever leaves a bot as a signed transfer is one that a placement of it meant: of its account and key, to the address of its
 * order, its asset and amount, until the time that was journaled. One payload has one body, and pays one placement.
 */
import { Redacted } from "effect"
import type { Of } from "../../../src/domain/BotEvent.ts"
import * as AccountKey from "../../../src/signing/AccountKey.ts"
import * as Nep413 from "../../../src/signing/Nep413.ts"
import type { Court } from "./Judge.ts"

/** A deadline that the venue chooses is minutes away. */
const mostMillis = 24 * 3_600_000

interface Transfer {
  readonly receiver_id: string
  readonly tokens: Readonly<Record<string, string>>
}

interface Addressed {
  readonly kind: "order" | "swap"
  readonly id: string
  readonly origin: { readonly id: string }
}

interface PayingAccount {
  readonly account: string
  /** What the venue takes money for, by address. */
  readonly targets: ReadonlyMap<string, Addressed>
  /** Where transfers are executed and what comes before a token's name there, if that is not the public ledger. */
  readonly ledger?: { readonly verifier: string; readonly prefix: string } | undefined
}

export const make = ({ now, violated }: Court, { account, ledger, targets }: PayingAccount) => {
  const payloads = new Map<string, { readonly body: string; readonly placement: string }>()
  const { objection } = AccountKey.make(account)

  /** The body of a request that leaves, and what the journal says that was signed. */
  const left = (bot: string, signed: Of<"FundingSigned">, body = Redacted.value(signed.signed)): void => {
    const of = `the signed transfer to ${signed.orderId}`
    const { payload, public_key: publicKey, signature } = JSON.parse(body).signedData
    const message = JSON.parse(String(payload.message))
    const [transfer, ...others]: ReadonlyArray<Transfer> = message.intents
    if (transfer === undefined || others.length > 0) return violated("I5", `${of} does not do exactly one thing`)
    const address = transfer.receiver_id
    const target = targets.get(address)
    const isOurs = target !== undefined && address === signed.depositAddress
    if (!isOurs || target.id !== (target.kind === "order" ? signed.orderId : target.id))
      return violated("I5", `money was sent to ${address}, which is not the address of ${signed.orderId}`)
    const [[asset, amount] = [], ...more] = Object.entries(transfer.tokens)
    const token = `${ledger?.prefix ?? ""}${target.origin.id}`
    if (more.length > 0 || asset !== token || BigInt(String(amount)) !== signed.amount)
      violated("I5", `${of} moves ${JSON.stringify(transfer.tokens)}`)
    if (ledger !== undefined && payload.recipient !== ledger.verifier)
      violated("I5", `${of} is for ${payload.recipient}`)
    if (message.signer_id !== account) violated("I5", `${of} is of ${message.signer_id}`)
    const until = Date.parse(message.deadline)
    if (Math.abs(signed.validUntil - until) > 1 || until > now() + mostMillis)
      violated("I5", `${of} is valid until ${message.deadline}, and ${signed.validUntil} is journaled`)
    const nonce = Nep413.parseNonce(payload.nonce)
    const digest = nonce && Nep413.digest({ ...payload, nonce })
    const problem = digest === undefined ? "one of no nonce" : objection(digest, { publicKey, signature })
    if (digest === undefined || problem !== undefined) return violated("I5", `the signature of ${of} is ${problem}`)
    const key = Nep413.hashText(digest)
    const placement = `${bot} ${signed.placement}`
    const known = payloads.get(key) ?? { body, placement }
    payloads.set(key, known)
    if (known.body !== body) violated("I5", `${of} left before in other bytes`)
    if (known.placement !== placement) violated("I5", `${of} pays ${placement} and ${known.placement}`)
  }

  return { left }
}
