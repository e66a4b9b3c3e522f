/**
 * The rules of a signer, as people write them: caps by asset and in total, hours of the week, destinations, and the approvers of larger
 * payments. They are in the signer's own file or in a separate signed file (`limitbot signer policy`). Neither the bot nor the signer has
 * the key of that signature. A signed policy has a number, which only grows, and a lock.
 */
import { Result, Schema } from "effect"
import { fromDecimal } from "../../domain/Amount.ts"
import type * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import * as Ed25519 from "../../signing/Ed25519.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Report, render, report, sourceText } from "../../strategy/Problem.ts"
import { readFile } from "../../strategy/YamlReader.ts"
import { bySpan, type Cap, type Hours, type Policy, spanNames } from "../remote/Policy.ts"

export const publicKey = Read.scalar("a public key, ed25519:… in base58", (text) =>
  Ed25519.parse(text, 32) === undefined ? undefined : text
)

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
const dayMinutes = 24 * 60
const weekMinutes = 7 * dayMinutes

/** `mon-fri 08:00-18:00`: the same hours on each of these days; `sat 22:00-02:00` ends on Sunday. */
const hoursOf = (text: string): ReadonlyArray<Hours> | undefined => {
  const [, first = "", last = first, fromHour, fromMinute, toHour, toMinute] =
    /^(\w{3})(?:-(\w{3}))? +(\d\d):([0-5]\d)-(\d\d):([0-5]\d)$/.exec(text.trim().toLowerCase()) ?? []
  const [one, other] = [days.indexOf(first), days.indexOf(last)]
  const [from, to] = [Number(fromHour) * 60 + Number(fromMinute), Number(toHour) * 60 + Number(toMinute)]
  if (one < 0 || other < 0 || !(from < dayMinutes) || !(to <= dayMinutes) || from === to) return undefined
  const count = ((other - one + days.length) % days.length) + 1
  const length = (to - from + dayMinutes) % dayMinutes || dayMinutes
  return Array.from({ length: count }, (_, index) => {
    const begins = ((one + index) * dayMinutes + from) % weekMinutes
    return { from: begins, to: (begins + length) % weekMinutes }
  })
}

export const hoursText = ({ from, to }: Hours): string => {
  const time = (minute: number) =>
    [Math.floor(minute / 60) % 24, minute % 60].map((each) => String(each).padStart(2, "0")).join(":")
  const day = (minute: number) => days[Math.floor(minute / dayMinutes)]
  return `${day(from)} ${time(from)}-${day(from) === day(to) ? "" : `${day(to)} `}${time(to)}`
}

const hours = Read.scalar("days and hours in UTC such as mon-fri 08:00-18:00", hoursOf)
const pattern = Read.scalar("an address; one * matches any text", (text) =>
  /^[\x21-\x7e]{1,300}$/.test(text) && text.split("*").length <= 2 ? text : undefined
)

const cap = Read.section({
  id: Read.required(Read.text, "the venue's identifier"),
  decimals: Read.required(Read.integer(0, 36)),
  maxTransfer: Read.required(Read.price, "most in one order"),
  maxPerHour: Read.optional(Read.price, "most in an hour"),
  maxPerDay: Read.required(Read.price, "most in 24 hours"),
  maxPerMonth: Read.optional(Read.price, "most in 30 days"),
  approveAbove: Read.optional(Read.price, "a larger payment needs an approval"),
  price: Read.optional(Read.price, "value of one unit in the totals")
})

export const keys = {
  assets: Read.optional(Read.table(Read.text, cap), "the only assets that are signed"),
  total: Read.optional(
    Read.section({
      maxPerHour: Read.optional(Read.price),
      maxPerDay: Read.optional(Read.price),
      maxPerMonth: Read.optional(Read.price)
    }),
    "caps of all assets together, at the prices beside them"
  ),
  hours: Read.optional(Read.plainList(hours), "when it signs, in UTC", "always"),
  destinations: Read.optional(Read.plainList(pattern), "the only deposit addresses that it pays", "any"),
  approvers: Read.optional(Read.plainList(publicKey), "public keys, any of which may approve")
}

type Keys = Read.KnownSettings<typeof keys>

/** `undefined` without assets. Reports contradictions. */
export const policyOf = ({ approvers, assets, destinations, hours, total }: Keys, to: Report): Policy | undefined => {
  if (assets === undefined) return undefined
  for (const [index, [symbol, { value }]] of assets.entries()) {
    const [twin] = assets.slice(0, index).find(([, other]) => other.value.id === value.id) ?? []
    if (twin !== undefined) report(to, symbol, `${symbol.value} has the same id as ${twin.value}`)
  }
  if (total !== undefined && spanNames.every((name) => total[name] === undefined))
    report(to, { start: 0, end: 0 }, `the total has no cap: set one of ${spanNames.join(", ")}`)
  const caps = new Map(
    assets.flatMap(([symbol, { value }]): ReadonlyArray<readonly [string, Cap]> => {
      const { decimals, id, price } = value
      let isFine = true
      const amount = (written: Decimal.Decimal | undefined) => {
        const limit = written && fromDecimal(written, decimals)
        if (written !== undefined && limit === undefined) isFine = false
        return limit
      }
      const maxTransfer = amount(value.maxTransfer)
      const windows = bySpan((name) => amount(value[name]))
      const approveAbove = amount(value.approveAbove)
      if (!isFine || maxTransfer === undefined) {
        report(to, symbol, `a cap of ${symbol.value} has more than ${decimals} decimals`)
        return []
      }
      if (total !== undefined && price === undefined)
        report(to, symbol, `${symbol.value} has no price, which the totals need`, "price: the value of one unit")
      if (approveAbove !== undefined && approvers === undefined)
        report(to, symbol, `no approver for payments of ${symbol.value}`, "set approvers to their public keys")
      return [[id, { symbol: symbol.value, decimals, maxTransfer, ...windows, ...present({ approveAbove, price }) }]]
    })
  )
  return {
    caps,
    ...present({
      total: total && bySpan((name) => total[name]),
      hours: hours?.flat(),
      destinations,
      approvers
    })
  }
}

const signedFile = Read.settingsReader({
  version: Read.required(Read.integer(1, 1_000_000_000), "its number, larger than that of the policy before it"),
  account: Read.required(Read.text, "the account that pays"),
  lock: Read.required(Read.duration, "time for which it still applies beside its successor"),
  ...keys
})

export class PolicyInvalid extends Schema.TaggedError<PolicyInvalid>()("PolicyInvalid", { message: Schema.String }) {}

export type SignedPolicy = Result.Result.Success<ReturnType<typeof parse>>

/** For `lockMillis` the policy stays in force beside its successor. */
export const parse = (text: string, file: string) => {
  const { fields: signedPart, to } = readFile(signedFile, sourceText(file, text))
  const policy = signedPart && policyOf(signedPart, to)
  if (signedPart !== undefined && policy === undefined) report(to, { start: 0, end: 0 }, 'missing key "assets"')
  const { account, lock: lockMillis, version } = signedPart ?? {}
  if (
    policy === undefined ||
    account === undefined ||
    lockMillis === undefined ||
    version === undefined ||
    to.problems.length > 0
  )
    return Result.fail(new PolicyInvalid({ message: to.problems.map((each) => render(each, text)).join("\n") }))
  return Result.succeed({ version, account, lockMillis, policy })
}
