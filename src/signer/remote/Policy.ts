/**
 * The rules of a signer process, for any client: only named assets; at most its own caps, at once and in rolling spans; its own hours; the
 * approval of a second key above an amount; and one payload per deposit address until that payload can no longer be executed. Signed
 * payloads count even if they were not used (`Spending.ts`). The signer has no prices of its own and trusts none from the bot: totals over
 * assets use the prices in the policy itself.
 */
import { type Amount, format, toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import type { RecordEntry } from "./Record.ts"
import { aliveFor, countingIn, type PaymentToSign, spentIn, unusedApprovals } from "./Spending.ts"

export const spans = {
  maxPerHour: { millis: hourMillis, said: "1 hour" },
  maxPerDay: { millis: dayMillis, said: "24 hours" },
  maxPerMonth: { millis: 30 * dayMillis, said: "30 days" }
} as const
const longestMillis = Math.max(...Object.values(spans).map(({ millis }) => millis))
export type SpanName = keyof typeof spans
export const spanNames = ["maxPerHour", "maxPerDay", "maxPerMonth"] as const satisfies ReadonlyArray<SpanName>

export const bySpan = <A>(of: (name: SpanName) => A | undefined) =>
  present({ maxPerHour: of("maxPerHour"), maxPerDay: of("maxPerDay"), maxPerMonth: of("maxPerMonth") })

export interface Cap extends Readonly<Partial<Record<SpanName, Amount>>> {
  readonly symbol: string
  readonly decimals: number
  /** Smallest units, as are the others. */
  readonly maxTransfer: Amount
  /** A larger payment needs an approval. Missing: none does. */
  readonly approveAbove?: Amount
  /** The value of one whole unit in the totals. */
  readonly price?: Decimal.Decimal
}

/** Hours of the week in UTC, minutes since Monday 00:00. `to` is excluded; if it is before `from`, it is in the next week. */
export type Hours = Readonly<Record<"from" | "to", number>>

export interface Policy {
  /** By the venue's asset id. */
  readonly caps: ReadonlyMap<string, Cap>
  readonly total?: Readonly<Partial<Record<SpanName, Decimal.Decimal>>>
  /** Missing: always. */
  readonly hours?: ReadonlyArray<Hours>
  /** Allowed addresses; `*` matches anything. Missing: any address. */
  readonly destinations?: ReadonlyArray<string>
  readonly approvers?: ReadonlyArray<string>
}

export type Objection = readonly [check: string, expected: string, found: string]

const mostLogins = 60

/** The smallest unused approval that is sufficient. */
export const approvalFor = (
  { amount, asset }: PaymentToSign,
  { approvers = [] }: Policy,
  entries: ReadonlyArray<RecordEntry>,
  wall: number
): RecordEntry | undefined =>
  unusedApprovals(entries, wall)
    .filter((each) => each.asset === asset && BigInt(each.amount ?? "0") >= amount && approvers.includes(each.by ?? ""))
    .toSorted((one, other) => (BigInt(one.amount ?? "0") < BigInt(other.amount ?? "0") ? -1 : 1))[0]

export const needsApproval = ({ amount, asset }: PaymentToSign, { caps }: Policy): boolean => {
  const above = caps.get(asset)?.approveAbove
  return above !== undefined && amount > above
}

export const approvalsUsed = (
  payment: PaymentToSign,
  policies: ReadonlyArray<Policy>,
  entries: ReadonlyArray<RecordEntry>,
  wall: number
): Pick<RecordEntry, "approvals"> => {
  const approvals = policies
    .filter((policy) => needsApproval(payment, policy))
    .flatMap((policy) => approvalFor(payment, policy, entries, wall)?.approvals ?? [])
  return approvals.length === 0 ? {} : { approvals: [...new Set(approvals)] }
}

interface PolicyInputs {
  readonly payment: PaymentToSign
  readonly cap: Cap
  readonly policy: Policy
  readonly entries: ReadonlyArray<RecordEntry>
  readonly spent: ReadonlyArray<RecordEntry>
  /** The signer's own time, by which sums roll. */
  readonly now: number
  /** The machine's clock, by which hours and days are written. */
  readonly wall: number
}

interface Rule {
  readonly check: string
  /** The refusal is this policy's alone. The payload is acceptable: another time, approval or policy may allow it. */
  readonly isOwn?: true
  readonly finds: (inputs: PolicyInputs) => readonly [expected: string, found: string] | undefined
}

const written = (amount: Amount, { decimals, symbol }: Cap): string => `${format(amount, decimals)} ${symbol}`

const usedIn = (name: SpanName, asset: string, spent: ReadonlyArray<RecordEntry>, now: number): Amount =>
  countingIn(spent, spans[name].millis, now)
    .filter((each) => each.asset === asset)
    .reduce((sum, { amount = "0" }) => sum + BigInt(amount), 0n)

const ofAsset = (name: SpanName): Rule => ({
  check: name,
  isOwn: true,
  finds: (inputs) => {
    const { cap, now, payment, spent } = inputs
    const most = cap[name]
    if (most === undefined) return undefined
    const sum = payment.amount + usedIn(name, payment.asset, spent, now)
    return sum > most ? [`at most ${written(most, cap)} in ${spans[name].said}`, written(sum, cap)] : undefined
  }
})

/** Exact. An asset that the policy does not name counts as zero, because none of it can be signed any more. */
const valueOf = ({ caps }: Policy, { amount, asset }: { readonly asset: string; readonly amount: Amount }) => {
  const { decimals = 0, price = Decimal.zero } = caps.get(asset) ?? {}
  return Decimal.multiply(toDecimal(amount, decimals), price)
}

const totalValueOf = (policy: Policy, spent: ReadonlyArray<RecordEntry>, name: SpanName, now: number) =>
  countingIn(spent, spans[name].millis, now).reduce(
    (sum, { amount = "0", asset = "" }) => Decimal.add(sum, valueOf(policy, { asset, amount: BigInt(amount) })),
    Decimal.zero
  )

const ofAll = (name: SpanName): Rule => ({
  check: `total.${name}`,
  isOwn: true,
  finds: (inputs) => {
    const { now, payment, policy, spent } = inputs
    const most = policy.total?.[name]
    if (most === undefined) return undefined
    const sum = Decimal.add(totalValueOf(policy, spent, name, now), valueOf(policy, payment))
    return Decimal.isGreater(sum, most)
      ? [`at most ${Decimal.format(most)} of everything in ${spans[name].said}`, Decimal.format(sum)]
      : undefined
  }
})

const weekMillis = 7 * dayMillis
/** 1 January 1970 was a Thursday. */
const firstMondayMillis = 4 * dayMillis

export const minuteOfWeek = (at: number): number =>
  Math.floor(((((at - firstMondayMillis) % weekMillis) + weekMillis) % weekMillis) / minuteMillis)

const isIn = (minute: number, { from, to }: Hours): boolean =>
  from < to ? minute >= from && minute < to : minute >= from || minute < to

const fits = (address: string, pattern: string): boolean => {
  const [head = "", ...rest] = pattern.split("*")
  const tail = rest.at(-1)
  if (tail === undefined) return address === pattern
  return address.length >= head.length + tail.length && address.startsWith(head) && address.endsWith(tail)
}

/** In order: the first violated rule determines the refusal. */
const rules: ReadonlyArray<Rule> = [
  {
    check: "amount",
    finds: ({ payment: { amount } }) => (amount <= 0n ? ["a positive amount", String(amount)] : undefined)
  },
  {
    check: "maxTransfer",
    isOwn: true,
    finds: ({ cap, payment: { amount } }) =>
      amount > cap.maxTransfer ? [`at most ${written(cap.maxTransfer, cap)}`, written(amount, cap)] : undefined
  },
  {
    check: "deposit address",
    finds: ({ entries, now, payment: { depositAddress } }) =>
      aliveFor(depositAddress, entries, now) === undefined ? undefined : ["one that was not paid yet", depositAddress]
  },
  {
    check: "destinations",
    isOwn: true,
    finds: ({ payment: { depositAddress }, policy: { destinations } }) =>
      destinations === undefined || destinations.some((pattern) => fits(depositAddress, pattern))
        ? undefined
        : [destinations.join(" or "), depositAddress]
  },
  ...spanNames.map(ofAsset),
  ...spanNames.map(ofAll),
  {
    check: "hours",
    isOwn: true,
    finds: ({ policy: { hours }, wall }) =>
      hours === undefined || hours.some((each) => isIn(minuteOfWeek(wall), each))
        ? undefined
        : ["its hours of the week", new Date(wall).toISOString()]
  },
  {
    check: "approval",
    isOwn: true,
    finds: ({ cap, entries, payment, policy, wall }) => {
      if (!needsApproval(payment, policy) || approvalFor(payment, policy, entries, wall) !== undefined) return undefined
      const amount = format(payment.amount, cap.decimals)
      const limit = written(cap.approveAbove ?? 0n, cap)
      return [
        `at most ${limit} without an approval: limitbot signer approve ${cap.symbol} ${amount}`,
        `${amount} ${cap.symbol}`
      ]
    }
  }
]

export const ownChecks: ReadonlySet<string> = new Set([
  "asset",
  ...rules.flatMap(({ check, isOwn }) => (isOwn === true ? [check] : []))
])

export const objectionTo = (
  payment: PaymentToSign,
  policy: Policy,
  entries: ReadonlyArray<RecordEntry>,
  now: number,
  wall = now
): Objection | undefined => {
  const cap = policy.caps.get(payment.asset)
  if (cap === undefined) return ["asset", "an asset of the signer's own file", payment.asset]
  const spent = countingIn(spentIn(entries), longestMillis, now)
  for (const { check, finds } of rules) {
    const objection = finds({ payment, cap, policy, entries, spent, now, wall })
    if (objection !== undefined) return [check, ...objection]
  }
  return undefined
}

export const objectionToLogin = (entries: ReadonlyArray<RecordEntry>, now: number): Objection | undefined => {
  const lately = entries.filter(({ at, what }) => what === "login" && at > now - hourMillis).length
  return lately >= mostLogins ? ["login", `at most ${mostLogins} in an hour`, String(lately + 1)] : undefined
}

export const usedOf = (policy: Policy, entries: ReadonlyArray<RecordEntry>, now: number) =>
  [...policy.caps].flatMap(([asset, cap]) =>
    spanNames.flatMap((name) => {
      const most = cap[name]
      if (most === undefined) return []
      const used = usedIn(name, asset, spentIn(entries), now)
      return [{ symbol: cap.symbol, decimals: cap.decimals, name, used, most }]
    })
  )

export const totalsOf = (policy: Policy, entries: ReadonlyArray<RecordEntry>, now: number) =>
  spanNames.flatMap((name) => {
    const most = policy.total?.[name]
    return most === undefined ? [] : [{ name, used: totalValueOf(policy, spentIn(entries), name, now), most }]
  })
