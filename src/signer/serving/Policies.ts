/** Commands for a signer's rules: people sign a policy or approve a larger payment with their own keys, and see the policies in force. */
import { Clock, Console, Effect, FileSystem } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import { type Amount, format, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { hourMillis } from "../../domain/Durations.ts"
import { countText, iso, utc } from "../../domain/Text.ts"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { publicKeyOf, Signer } from "../../signing/Signer.ts"
import * as PolicyFile from "../files/PolicyFile.ts"
import * as SignerFile from "../files/SignerFile.ts"
import { type Cap, spans, totalsOf, usedOf } from "../remote/Policy.ts"
import * as PolicySeal from "../remote/PolicySeal.ts"
import * as Record from "../remote/Record.ts"
import * as RemoteSigner from "../remote/RemoteSigner.ts"
import * as Ruled from "./Ruled.ts"

export const sign = Effect.fn("Policies.sign")(function* ({ file, key }: Readonly<Record<"file" | "key", string>>) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem.readFileString(file)
  const { policy, version } = yield* Effect.fromResult(PolicyFile.parse(text, file))
  const secret = yield* KeyFile.readKey(key)
  const signature = yield* Effect.provide(PolicySeal.sealPolicy(text), Signer.layer(secret))
  yield* fileSystem.writeFileString(`${file}.sig`, `${signature}\n`)
  yield* Console.log(
    `policy ${version}, ${countText(policy.caps.size, "asset")}, is signed in ${file}.sig; the signer's file needs policyKey: ${yield* publicKeyOf(secret)}`
  )
})

export const holding = Effect.fn("Policies.holding")(function* ({ config }: { readonly config: string }) {
  const { record: file, ruling } = yield* SignerFile.load(config)
  const entries = yield* Record.readRecord(file)
  const now = yield* Clock.currentTimeMillis
  const holding =
    "policy" in ruling
      ? [{ version: null, until: undefined, policy: ruling.policy }]
      : Ruled.holdingAt(yield* Ruled.arrivalsIn({ entries }), now)
  const policies = holding.map((each) => dataOf(each, entries, now))
  return { data: () => ({ policies }), lines: () => policies.flatMap(linesOf) } satisfies CommandAnswer
})

const besides = (file: string, cap: Cap, amount: Amount): string => {
  const { approveAbove, decimals, maxTransfer, symbol } = cap
  const written = (most: Amount) => `${format(most, decimals)} ${symbol}`
  if (amount > maxTransfer) return ` ${file} still refuses more than ${written(maxTransfer)} at once.`
  if (approveAbove !== undefined && amount > approveAbove) return ""
  return ` It changes nothing: ${file} lets up to ${written(approveAbove ?? maxTransfer)} through without an approval.`
}

interface Approving extends Record<"asset" | "amount" | "policy" | "key" | "socket", string> {
  readonly within: number | undefined
}

export const approve = Effect.fn("Policies.approve")(function* (given: Approving) {
  const { amount: written, asset: symbol, policy: file } = given
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem.readFileString(file)
  const { account, policy } = yield* Effect.fromResult(PolicyFile.parse(text, file))
  const [asset, cap] = [...policy.caps].find(([, each]) => each.symbol === symbol) ?? []
  const decimal = Decimal.parse(written)
  const amount = decimal && cap && fromDecimal(decimal, cap.decimals)
  if (asset === undefined || cap === undefined) return yield* wrongUsage(`${file} names no asset ${symbol}`)
  if (amount === undefined || amount <= 0n)
    return yield* wrongUsage(`${written} is not an amount of ${symbol}, which has ${cap.decimals} decimals`)
  const validUntil = (yield* Clock.currentTimeMillis) + (given.within ?? hourMillis)
  const nonce = Buffer.from(randomBytesUnsafe(16)).toString("hex")
  const approval = { account, asset, amount: String(amount), validUntil, nonce }
  const secret = yield* KeyFile.readKey(given.key)
  const signature = yield* Effect.provide(PolicySeal.sealApproval(approval), Signer.layer(secret))
  yield* RemoteSigner.approve(given.socket, { ...approval, signature })
  const approved = `One payment of at most ${written} ${symbol} is approved until ${utc(validUntil)}.`
  yield* Console.log(`${approved}${besides(file, cap, amount)}`)
})

interface Shown extends Pick<Ruled.Arrival, "policy"> {
  readonly until?: number | undefined
  /** Null for the policy in the signer's own file. */
  readonly version: number | null
}

/** A policy with all its restrictions, and the used part of each cap. Shown in part, it would look looser than it is. */
const dataOf = ({ policy, until, version }: Shown, entries: ReadonlyArray<Record.RecordEntry>, now: number) => ({
  version,
  until: until === undefined ? null : iso(until),
  payments: [...policy.caps.values()].map(({ approveAbove, decimals, maxTransfer, symbol }) => ({
    asset: symbol,
    maxTransfer: format(maxTransfer, decimals),
    approveAbove: approveAbove === undefined ? null : format(approveAbove, decimals)
  })),
  caps: usedOf(policy, entries, now).map(({ decimals, most, name, symbol, used }) => ({
    asset: symbol,
    cap: name,
    used: format(used, decimals),
    most: format(most, decimals)
  })),
  total: totalsOf(policy, entries, now).map(({ most, name, used }) => ({
    cap: name,
    used: Decimal.format(used),
    most: Decimal.format(most)
  })),
  hours: policy.hours?.map(PolicyFile.hoursText) ?? null,
  destinations: policy.destinations ?? null,
  approvers: policy.approvers ?? null
})

type Said = ReturnType<typeof dataOf>

const linesOf = ({ approvers, caps, destinations, hours, payments, total, until, version }: Said) => [
  `${version === null ? "The policy of the signer's file" : `Policy ${version}`}${until === null ? "" : `, until ${until}`}`,
  ...payments.flatMap(({ approveAbove, asset, maxTransfer }) => [
    `  ${asset}: at most ${maxTransfer} at once${approveAbove === null ? "" : `, more than ${approveAbove} only with an approval`}`,
    ...caps
      .filter((cap) => cap.asset === asset)
      .map(({ cap, most, used }) => `  ${asset}: ${used} of ${most} in ${spans[cap].said}`)
  ]),
  ...total.map(({ cap, most, used }) => `  everything together: ${used} of ${most} in ${spans[cap].said}`),
  ...listed("signs only (UTC)", hours),
  ...listed("pays only", destinations),
  ...listed("approvers", approvers)
]

const listed = (title: string, all: ReadonlyArray<string> | null): ReadonlyArray<string> =>
  all === null ? [] : [`  ${title}: ${all.join(", ")}`]
