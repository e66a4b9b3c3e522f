/**
 * What a signer process may sign, whoever asks: only named assets, no more at once and within rolling times than its own caps, in its
 * own hours, with a second key's word above a sum, and one payload per deposit address until that payload can no longer be
 * executed. Each protection is a row of `rules`. What was signed counts, whether or not it was used (`Spending.ts`).
 *
 * The signer has no prices of its own and believes none that the bot tells: what assets are worth together is counted by the prices
 * that the policy itself states.
 */
import { type Amount, format, toDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import type { RecordEntry } from "./Record.ts"
import { aliveFor, countingIn, type PaymentToSign, spentIn, unspentWords } from "./Spending.ts"

/** The times over which sums roll. */
export const spans = {
  maxPerHour: { millis: hourMillis, said: "1 hour" },
  maxPerDay: { millis: dayMillis, said: "24 hours" },
  maxPerMonth: { millis: 30 * dayMillis, said: "30 days" }
} as const
const longestMillis = Math.max(...Object.values(spans).map(({ millis }) => millis))
export type SpanName = keyof typeof spans
export const spanNames = ["maxPerHour", "maxPerDay", "maxPerMonth"] as const satisfies ReadonlyArray<SpanName>

export interface Cap extends Readonly<Partial<Record<SpanName, Amount>>> {
  readonly symbol: string
  readonly decimals: number
  /** Smallest units, as are the others. */
  readonly maxTransfer: Amount
  /** A payment of more needs the word of an approver. */
  readonly approveAbove?: Amount
  /** What one whole unit counts towards the totals. */
  readonly price?: Decimal.Decimal
}

/** Hours of the week in UTC, minutes since Monday 00:00; `to` is not included, and before `from` it is in the next week. */
export interface Hours {
  readonly from: number
  readonly to: number
}

export interface Policy {
  /** By the venue's asset id. */
  readonly caps: ReadonlyMap<string, Cap>
  /** Caps of all assets together, at the prices of the caps. */
  readonly total?: Readonly<Partial<Record<SpanName, Decimal.Decimal>>>
  /** When it signs; missing: always. */
  readonly hours?: ReadonlyArray<Hours>
  /** The addresses that it pays, a `*` standing for anything; missing: any. */
  readonly destinations?: ReadonlyArray<string>
  /** Public keys, any of which may approve. */
  readonly approvers?: ReadonlyArray<string>
}

/** The check that fails, what it expects and what it found. */
export type Objection = readonly [check: string, expected: string, found: string]

/** The most session-opening messages in an hour. */
const mostLogins = 60

/** The word of one of its approvers for one payment, that was not used yet. The smallest that is enough is used first. */
export const approvalFor = (
  { amount, asset }: PaymentToSign,
  { approvers = [] }: Policy,
  entries: ReadonlyArray<RecordEntry>,
  wall: number
): RecordEntry | undefined => {
  return unspentWords(entries, wall)
    .filter((each) => each.asset === asset && BigInt(each.amount ?? "0") >= amount && approvers.includes(each.by ?? ""))
    .toSorted((one, other) => (BigInt(one.amount ?? "0") < BigInt(other.amount ?? "0") ? -1 : 1))[0]
}

/** Whether the payment needs an approver's word, whether or not there is one. */
export const needsApproval = ({ amount, asset }: PaymentToSign, { caps }: Policy): boolean => {
  const above = caps.get(asset)?.approveAbove
  return above !== undefined && amount > above
}

/** The words that a payment uses up, which has all that it needs. */
export const spentOn = (
  payment: PaymentToSign,
  policies: ReadonlyArray<Policy>,
  entries: ReadonlyArray<RecordEntry>,
  wall: number
): Pick<RecordEntry, "approvals"> => {
  const words = policies
    .filter((policy) => needsApproval(payment, policy))
    .flatMap((policy) => approvalFor(payment, policy, entries, wall)?.approvals ?? [])
  return words.length === 0 ? {} : { approvals: [...new Set(words)] }
}

interface PolicyInputs {
  readonly payment: PaymentToSign
  readonly cap: Cap
  readonly policy: Policy
  /** What was signed, refused, approved; and what of it counts in any sum. */
  readonly entries: ReadonlyArray<RecordEntry>
  readonly spent: ReadonlyArray<RecordEntry>
  /** By the signer's own time, by which sums roll. */
  readonly now: number
  /** By the machine's clock, which people mean when they name hours and days. */
  readonly wall: number
}

interface Rule {
  readonly check: string
  /** Nothing speaks against the payload: another time, another word or another policy may allow it. */
  readonly isOwn?: true
  /** What it expects and what it found, where that is not the same. */
  readonly finds: (ground: PolicyInputs) => readonly [expected: string, found: string] | undefined
}

/** As people write it. */
const written = (amount: Amount, { decimals, symbol }: Cap): string => `${format(amount, decimals)} ${symbol}`

const ofAsset = (name: SpanName): Rule => ({
  check: name,
  isOwn: true,
  finds: (ground) => {
    const { cap, now, payment, spent } = ground
    const { millis, said } = spans[name]
    const most = cap[name]
    if (most === undefined) return undefined
    const sum = countingIn(spent, millis, now)
      .filter(({ asset }) => asset === payment.asset)
      .reduce((sum, { amount = "0" }) => sum + BigInt(amount), payment.amount)
    return sum > most ? [`at most ${written(most, cap)} in ${said}`, written(sum, cap)] : undefined
  }
})

/** Exact. An asset that the policy does not name counts nothing: none of it can be signed any more. */
const worth = ({ caps }: Policy, { amount, asset }: { readonly asset: string; readonly amount: Amount }) => {
  const { decimals = 0, price = Decimal.zero } = caps.get(asset) ?? {}
  return Decimal.multiply(toDecimal(amount, decimals), price)
}

const worthOfAll = (policy: Policy, spent: ReadonlyArray<RecordEntry>, name: SpanName, now: number) =>
  countingIn(spent, spans[name].millis, now).reduce(
    (sum, { amount = "0", asset = "" }) => Decimal.add(sum, worth(policy, { asset, amount: BigInt(amount) })),
    Decimal.zero
  )

const ofAll = (name: SpanName): Rule => ({
  check: `total.${name}`,
  isOwn: true,
  finds: (ground) => {
    const { now, payment, policy, spent } = ground
    const most = policy.total?.[name]
    if (most === undefined) return undefined
    const sum = Decimal.add(worthOfAll(policy, spent, name, now), worth(policy, payment))
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

/** The first that finds something speaks. */
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
  ofAsset("maxPerHour"),
  ofAsset("maxPerDay"),
  ofAsset("maxPerMonth"),
  ofAll("maxPerHour"),
  ofAll("maxPerDay"),
  ofAll("maxPerMonth"),
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
      const free = written(cap.approveAbove ?? 0n, cap)
      return [
        `at most ${free} without an approver's word: limitbot approve ${cap.symbol} ${amount}`,
        `${amount} ${cap.symbol}`
      ]
    }
  }
]

/** Checks of its own: nothing speaks against the payload. */
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
    const found = finds({ payment, cap, policy, entries, spent, now, wall })
    if (found !== undefined) return [check, ...found]
  }
  return undefined
}

export const objectionToLogin = (entries: ReadonlyArray<RecordEntry>, now: number): Objection | undefined => {
  const lately = entries.filter(({ at, what }) => what === "login" && at > now - hourMillis).length
  return lately >= mostLogins ? ["login", `at most ${mostLogins} in an hour`, String(lately + 1)] : undefined
}

/** What counts of each asset within each capped time, for people: how much room is left. */
export const usedOf = (policy: Policy, entries: ReadonlyArray<RecordEntry>, now: number) =>
  [...policy.caps].flatMap(([asset, cap]) =>
    spanNames.flatMap((name) => {
      const most = cap[name]
      if (most === undefined) return []
      const used = countingIn(spentIn(entries), spans[name].millis, now)
        .filter((each) => each.asset === asset)
        .reduce((sum, { amount = "0" }) => sum + BigInt(amount), 0n)
      return [{ symbol: cap.symbol, decimals: cap.decimals, name, used, most }]
    })
  )

/** The same of all assets together. */
export const totalsOf = (policy: Policy, entries: ReadonlyArray<RecordEntry>, now: number) =>
  spanNames.flatMap((name) => {
    const most = policy.total?.[name]
    return most === undefined ? [] : [{ name, used: worthOfAll(policy, spentIn(entries), name, now), most }]
  })

export const windowsOf = (given: Readonly<Partial<Record<SpanName, Amount | undefined>>>) =>
  present({ maxPerHour: given.maxPerHour, maxPerDay: given.maxPerDay, maxPerMonth: given.maxPerMonth })
