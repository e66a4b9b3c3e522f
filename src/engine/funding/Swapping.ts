/**
 * Moves one swap a step further: fund, send again, tell the venue of the transaction, look. Every step is in the
 * journal before it is taken, so the process may die between any two lines and `--resume` continues from there.
 *
 * The same rules as for orders make funding happen at most once. One payload is signed per swap; the same code sends
 * it (`Submission`), and the same rules judge a missing deposit (`Payload`). A wallet is asked once, and again only
 * when it, or the operator, said that nothing was sent. The swap's steps are in the bot's journal (`SwapBook`), and
 * it passes the bot's gate.
 */

import { Clock, Duration, Effect } from "effect"
import * as Payload from "../../domain/Payload.ts"
import { present } from "../../domain/Present.ts"
import * as SwapAccount from "../../domain/SwapAccount.ts"
import type { SwapEvent, SwapEventOf } from "../../domain/SwapEvent.ts"
import { plainJson } from "../../domain/Text.ts"
import { type Swap, Swaps } from "../../venue/Swaps.ts"
import { IntentGuard } from "../../venue/signing/IntentGuard.ts"
import { type Answer, FundingHold, Venue } from "../../venue/Venue.ts"
import { submit } from "./Submission.ts"
import type { SwapBook } from "./SwapBook.ts"
import { Wallet } from "./Wallet.ts"

export interface SwapPace {
  /** Between two looks. */
  readonly pollMillis: number
  /** How long after a payload's deadline its deposit could still become visible. */
  readonly visibilityMillis: number
  /** No funding when less than this is left until the deadline. */
  readonly marginMillis: number
  /** First pause before a payload is sent again; doubles up to `retryMaxMillis`. */
  readonly retryMinMillis: number
  readonly retryMaxMillis: number
}

export const defaultPace: SwapPace = {
  pollMillis: Duration.toMillis("1 second"),
  visibilityMillis: Duration.toMillis("10 seconds"),
  marginMillis: Duration.toMillis("15 seconds"),
  retryMinMillis: Duration.toMillis("1 second"),
  retryMaxMillis: Duration.toMillis("1 minute")
}

type Account = SwapAccount.SwapAccount

/** `gate`: why no money may leave now, if so; asked before a payload is signed or first sent, or a wallet asked. */
export const make = Effect.fnUntraced(function* (
  book: SwapBook,
  gate: Effect.Effect<string | undefined>,
  pace: SwapPace = defaultPace
) {
  const venue = yield* Venue
  const hold = yield* FundingHold
  const swaps = yield* Swaps
  const guard = yield* IntentGuard
  const wallet = yield* Wallet
  const emptyReads = new Map<string, number>()

  /** Writes the next steps and folds them into the state. */
  const record = Effect.fnUntraced(function* (account: Account, ...events: ReadonlyArray<SwapEvent>) {
    const recorded = yield* book.append(account.id, account.steps, events)
    return recorded.reduce<Account>(SwapAccount.apply, account)
  })

  const fundByIntent = Effect.fnUntraced(function* (account: Account) {
    const { agreed } = account
    const generated = yield* venue.generateIntent(agreed.depositAddress)
    const closed = yield* gate
    if (closed !== undefined) return yield* record(account, { _tag: "SwapDropped", reason: closed })
    const expected = { depositAddress: agreed.depositAddress, asset: agreed.origin.id, amount: agreed.amountIn }
    const signed = yield* Effect.result(guard.signTransfer(generated.value, expected))
    const correlation = present({ correlationId: generated.correlationId })
    if (signed._tag === "Failure") {
      const { failure } = signed
      // The signer may come back; the quote's deadline limits how long waiting makes sense.
      if (failure._tag === "SignerUnavailable") return account
      const { found, message } = failure
      const contradicted = {
        _tag: "SwapContradicted",
        what: message,
        evidence: `found ${found}`,
        ...correlation
      } as const
      return yield* record(account, contradicted, { _tag: "SwapDropped", reason: message })
    }
    const { body, intentHash, validUntil } = signed.success
    const amount = agreed.amountIn
    const event = { _tag: "IntentSigned", amount, signed: body, intentHash, validUntil, ...correlation } as const
    return yield* sendIntent(yield* record(account, event))
  })

  const sendIntent = Effect.fnUntraced(function* (begun: Account) {
    let account = begun
    if (account.intent === undefined || account.phase !== "funding") return account
    // Bytes that never left can still be held back; once they expire they are certainly dead.
    if (account.intent.attempts === 0 && (yield* gate) !== undefined) return account
    const noted = (event: SwapEvent) =>
      Effect.map(record(account, event), (next) => {
        account = next
      })
    yield* submit(venue, account.intent, pace, yield* Clock.currentTimeMillis, {
      sent: (attempt) => noted({ _tag: "IntentSent", attempt }),
      acknowledged: (answer) => noted({ _tag: "IntentAcknowledged", ...answer }),
      refused: (answer) => noted({ _tag: "IntentAnswered", ...answer })
    })
    return account
  })

  /** Even when the program is leaving, it waits for the wallet: a payment may be under way, and its answer counts. */
  const askWallet = Effect.fnUntraced(function* (account: Account) {
    const { agreed, id } = account
    const attempt = (account.wallet?.attempts ?? 0) + 1
    const { amountIn: amount, deadline, depositAddress, depositMemo, origin: asset } = agreed
    const asked = yield* record(account, { _tag: "WalletAsked", attempt, wallet: wallet.kind, amount })
    const reference = `${id}-${attempt}`
    const paid = yield* Effect.result(wallet.pay({ reference, asset, amount, depositAddress, depositMemo, deadline }))
    if (paid._tag === "Failure") {
      const { _tag, text } = paid.failure
      const refused = yield* record(asked, { _tag, text })
      return _tag === "WalletRefused" && refused.seen === undefined
        ? yield* record(refused, { _tag: "SwapEnded", outcome: "unfunded", text: `the wallet sent nothing: ${text}` })
        : refused
    }
    const { sender, txHash } = paid.success
    if (txHash === undefined) return asked
    const event = { _tag: "WalletPaid", txHash, ...present({ sender }) } as const
    return yield* record(asked, event)
  }, Effect.uninterruptible)

  const fundByWallet = (account: Account) => Effect.flatMap(askWallet(account), report)

  /** Tells the venue of the transaction, which only makes it look sooner; a refusal changes nothing. */
  const report = Effect.fnUntraced(function* (account: Account) {
    const { agreed, wallet: payment } = account
    if (payment?.txHash === undefined || payment.isReported) return account
    const { depositAddress, depositMemo } = agreed
    const answer = yield* Effect.result(
      swaps.submitDeposit({
        txHash: payment.txHash,
        depositAddress,
        ...present({ memo: depositMemo, senderAccount: payment.sender })
      })
    )
    if (answer._tag === "Failure") return account
    const { correlationId } = answer.success
    const event = { _tag: "DepositReported", txHash: payment.txHash, ...present({ correlationId }) } as const
    return yield* note(yield* record(account, event), answer.success)
  })

  /** Records what is new in a report of the venue, and the end if it is one. */
  const note = Effect.fnUntraced(function* (account: Account, answer: Answer<Swap>) {
    const seen = seenOf(answer)
    if (same(account.seen, seen) || isOlder(account.seen, seen)) return account
    const conclusion = SwapAccount.conclusion(account, seen)
    const contradiction = account.contradiction === undefined ? contradictionIn(account, seen) : undefined
    const events: ReadonlyArray<SwapEvent> = [
      seen,
      ...(contradiction === undefined ? [] : [contradiction]),
      ...(conclusion === undefined ? [] : [{ _tag: "SwapEnded", ...conclusion } as const])
    ]
    return yield* record(account, ...events)
  })

  const look = Effect.fnUntraced(function* (account: Account) {
    const { depositAddress, depositMemo } = account.agreed
    return yield* note(account, yield* swaps.status(depositAddress, depositMemo))
  })

  /** Judges a missing deposit: the swap is over only if the payment provably was not executed. */
  const judge = Effect.fnUntraced(function* (account: Account) {
    const { doubt, id, intent, phase } = account
    const now = yield* Clock.currentTimeMillis
    if (intent === undefined || phase !== "funding" || doubt !== undefined) return account
    // Positive knowledge counts: a transfer that was seen is waited for.
    if (now < intent.validUntil + pace.visibilityMillis || account.seen?.status === "KNOWN_DEPOSIT_TX") return account
    const reads = (emptyReads.get(id) ?? 0) + 1
    emptyReads.set(id, reads)
    const meaning = Payload.silenceMeans(intent, now, pace.visibilityMillis, reads)
    if (meaning === "wait") return account
    const answer = intent.lastAnswer === undefined ? "" : `; the venue had answered ${intent.lastAnswer}`
    if (meaning === "doubt") {
      const reason = `its payload was sent and has expired, the venue never acknowledged it, and no deposit shows${answer}`
      return yield* record(account, { _tag: "SwapInDoubt", reason })
    }
    const what = intent.attempts === 0 ? "was never sent" : "was refused each time"
    const reason = `its payload ${what} and has expired without a deposit${answer}`
    return yield* record(
      account,
      { _tag: "IntentDead", reason },
      { _tag: "SwapEnded", outcome: "unfunded", text: reason }
    )
  })

  const fund = Effect.fnUntraced(function* (account: Account) {
    const { agreed } = account
    const now = yield* Clock.currentTimeMillis
    if (agreed.deadline - now < pace.marginMillis) {
      const reason = "too little time is left until its deadline"
      return yield* record(account, { _tag: "SwapDropped", reason })
    }
    const held = (yield* gate) ?? (yield* hold([agreed.origin.id, agreed.destination.id]))
    if (held !== undefined) return yield* record(account, { _tag: "SwapDropped", reason: held })
    return yield* agreed.depositType === "ORIGIN_CHAIN" ? fundByWallet(account) : fundByIntent(account)
  })

  /** One step, or several that need no wait in between. */
  const advance = Effect.fn("Swapping.advance")(function* (account: Account) {
    if (SwapAccount.isOver(account)) return account
    if (account.phase === "agreed") return yield* fund(account)
    const isToBePaid = account.wallet !== undefined && !SwapAccount.mayHavePaid(account.wallet)
    if (isToBePaid && (yield* gate) === undefined) return yield* fundByWallet(account)
    const sent = yield* sendIntent(account)
    const looked = yield* look(yield* report(sent))
    return SwapAccount.isOver(looked) ? looked : yield* judge(looked)
  })

  return { advance, record }
})

const seenOf = ({ correlationId, value }: Answer<Swap>): SwapAccount.Seen => {
  const amounts = {
    deposited: value.depositedAmount,
    amountIn: value.amountIn,
    amountOut: value.amountOut,
    refunded: value.refundedAmount,
    withdrawFee: value.withdrawFee,
    refundReason: value.refundReason
  }
  const said = Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== undefined))
  const { destinationTxHashes, intentHashes, ledgerTxHashes, originTxHashes, status } = value
  const hashes = { intentHashes, ledgerTxHashes, originTxHashes, destinationTxHashes }
  return { _tag: "SwapSeen", status, ...said, ...hashes, ...present({ correlationId }) }
}

const same = (known: SwapAccount.Seen | undefined, seen: SwapAccount.Seen): boolean => {
  const text = ({ correlationId, ...rest }: SwapAccount.Seen) => plainJson(rest)
  return known !== undefined && text(known) === text(seen)
}

/** Deposits are never taken back, so a report that knows less comes from an old view. */
const isOlder = (known: SwapAccount.Seen | undefined, seen: SwapAccount.Seen): boolean =>
  (seen.deposited ?? 0n) < (known?.deposited ?? 0n)

const contradictionIn = (account: Account, seen: SwapAccount.Seen): SwapEventOf<"SwapContradicted"> | undefined => {
  const { amountIn = 0n, deposited, refunded = 0n, status } = seen
  const { intent } = account
  const evidence = `status ${status}, deposited ${deposited ?? "not said"}, spent ${amountIn}, refunded ${refunded}`
  const contradiction = (what: string) =>
    ({ _tag: "SwapContradicted", what, evidence, ...present({ correlationId: seen.correlationId }) }) as const
  if (deposited !== undefined && amountIn + refunded > deposited)
    return contradiction("more was spent and refunded than was deposited")
  if (intent !== undefined && (deposited ?? 0n) > intent.amount)
    return contradiction(`${deposited} was deposited although ${intent.amount} was signed for`)
  return undefined
}
