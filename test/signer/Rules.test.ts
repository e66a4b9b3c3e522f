/**
 * The rules of a signer's policy: whatever a lying bot asks for, and however often the signer restarts, no sum in any time that it rolls
 * over is more than its cap; and a new policy forbids at once, but allows only after the lock of the ones before it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../src/domain/Durations.ts"
import * as PolicyFile from "../../src/signer/files/PolicyFile.ts"
import {
  approvalFor,
  minuteOfWeek,
  needsApproval,
  objectionTo,
  type Policy,
  spanNames,
  spans
} from "../../src/signer/remote/Policy.ts"
import type { RecordEntry } from "../../src/signer/remote/Record.ts"
import type { PaymentToSign } from "../../src/signer/remote/Spending.ts"
import * as Ruled from "../../src/signer/serving/Ruled.ts"
import { integerBetween, pick, random } from "../strategy/support.ts"

const monday = Date.UTC(2026, 0, 5)
const approver = "ed25519:8Yx2o6zV1S1o8m1TeCBZhfTQ9oF1pJzqk2FJc8h4mC7u"

const text = (change: (text: string) => string = (same) => same): string =>
  change(`version: 1
account: me
lock: 1d
assets:
  USDC: { id: usdc, decimals: 2, price: 1, maxTransfer: 500, maxPerHour: 800, maxPerDay: 3000, maxPerMonth: 9000 }
  BTC: { id: btc, decimals: 8, price: 60000, maxTransfer: 0.01, maxPerDay: 0.04 }
total: { maxPerHour: 1000, maxPerDay: 4000 }
`)
const policyIn = (file: string): PolicyFile.SignedPolicy => Result.getOrThrow(PolicyFile.parse(file, "policy.yaml"))
const problems = (file: string): string => {
  const read = PolicyFile.parse(file, "policy.yaml")
  return Result.isFailure(read) ? read.failure.message : ""
}

const pay = (amount: bigint, asset = "usdc", depositAddress = "d"): PaymentToSign => ({ amount, asset, depositAddress })
const signed = (at: number, { amount, asset, depositAddress }: PaymentToSign): RecordEntry => ({
  at,
  what: "signed",
  depositAddress,
  asset,
  amount: String(amount),
  validUntil: at + minuteMillis
})

describe("the rules of a signer's policy", () => {
  it("limit a lying bot to the caps in any hour, day and month of six weeks", () => {
    const { policy } = policyIn(text())
    for (let seed = 1; seed <= 12; seed++) {
      const next = random(seed)
      const entries: Array<RecordEntry> = []
      let [now, taken] = [monday, 0]
      while (now < monday + 42 * dayMillis) {
        // Floods, and waits for the moment at which a sum rolls on.
        now += pick(next, [1, 1_000, 1_000, minuteMillis, hourMillis - 1, hourMillis, 5 * hourMillis, dayMillis])
        for (let tries = 0; tries < 8; tries++) {
          const asset = pick(next, ["usdc", "btc", "eth"] as const)
          const amount = asset === "usdc" ? integerBetween(next, 1, 60_000) : integerBetween(next, 1, 1_200_000)
          const asked = pay(BigInt(amount), asset, `d${entries.length}`)
          if (objectionTo(asked, policy, entries, now) !== undefined) continue
          entries.push(signed(now, asked))
          taken += 1
        }
      }
      assert.isAbove(taken, 200)
      assertWithin(policy, entries, seed)
    }
  })

  it("count a payment at its own time, even if that is in the future", () => {
    const { policy } = policyIn(text())
    const ahead = [signed(monday + 5 * hourMillis, pay(80_000n))]
    assert.deepStrictEqual(objectionTo(pay(1n, "usdc", "e"), policy, ahead, monday)?.[0], "maxPerHour")
  })

  it("count everything together at their stated prices, exactly", () => {
    const { policy } = policyIn(text())
    const entries = [signed(monday, pay(40_000n)), signed(monday, pay(800_000n, "btc", "e"))]
    // 400 + 480, and 0.002 BTC are 120: 1,000 exactly.
    assert.isUndefined(objectionTo(pay(200_000n, "btc", "f"), policy, entries, monday + 1))
    assert.deepStrictEqual(objectionTo(pay(200_001n, "btc", "f"), policy, entries, monday + 1), [
      "total.maxPerHour",
      "at most 1000 of everything in 1 hour",
      "1000.0006"
    ])
  })

  it("allow payments in their hours alone, across midnight and the weekend", () => {
    const at = (day: number, hour: number, minute = 0) =>
      monday + day * dayMillis + hour * hourMillis + minute * minuteMillis
    assert.strictEqual(minuteOfWeek(monday), 0)
    assert.strictEqual(minuteOfWeek(at(6, 23, 59)), 7 * 24 * 60 - 1)
    const hours = (...lines: ReadonlyArray<string>) =>
      policyIn(text((same) => `${same}hours: [${lines.map((line) => `"${line}"`).join(", ")}]\n`)).policy
    const signs = (policy: Policy, now: number) => objectionTo(pay(1n), policy, [], now) === undefined
    const office = hours("mon-fri 08:00-18:00")
    for (const [now, isSigned] of [
      [at(0, 8), true],
      [at(0, 7, 59), false],
      [at(4, 17, 59), true],
      [at(4, 18), false],
      [at(5, 12), false]
    ] as const)
      assert.strictEqual(signs(office, now), isSigned, new Date(now).toISOString())
    const night = hours("sun 22:00-02:00", "wed 00:00-24:00")
    for (const [now, isSigned] of [
      [at(6, 23), true],
      [at(0, 1, 59), true],
      [at(0, 2), false],
      [at(2, 0), true],
      [at(2, 23, 59), true],
      [at(3, 0), false]
    ] as const)
      assert.strictEqual(signs(night, now), isSigned, new Date(now).toISOString())
  })

  it("allow no payment at night after the machine has slept", () => {
    const day = monday + 17 * hourMillis
    const { policy } = policyIn(text((same) => `${same}hours: ["mon-fri 08:00-18:00"]\n`))
    assert.isUndefined(objectionTo(pay(1n), policy, [], day, day))
    assert.strictEqual(objectionTo(pay(1n), policy, [], day, day + 10 * hourMillis)?.[0], "hours")
  })

  it("allow the destinations that they name, and no other", () => {
    const { policy } = policyIn(text((same) => `${same}destinations: ["*.deposits.near", exact]\n`))
    for (const [address, isPaid] of [
      ["a.deposits.near", true],
      ["exact", true],
      ["exact2", false],
      ["a.deposits.near.evil", false]
    ] as const)
      assert.strictEqual(objectionTo(pay(1n, "usdc", address), policy, [], monday) === undefined, isPaid, address)
  })

  it("require an approval above a sum: for one payment, from a named key, in time", () => {
    const { policy } = policyIn(
      text(
        (same) =>
          `${same.replace("maxTransfer: 500", "maxTransfer: 500, approveAbove: 100")}approvers: ["${approver}"]\n`
      )
    )
    const word = (change: Partial<RecordEntry> = {}): RecordEntry => ({
      at: monday,
      what: "approved",
      asset: "usdc",
      amount: "20000",
      validUntil: monday + hourMillis,
      approvals: ["one"],
      by: approver,
      ...change
    })
    const asked = pay(15_000n)
    const check = (...entries: ReadonlyArray<RecordEntry>) => objectionTo(asked, policy, entries, monday + 1)?.[0]
    assert.isUndefined(objectionTo(pay(10_000n), policy, [], monday))
    assert.isFalse(needsApproval(pay(10_000n), policy))
    assert.deepStrictEqual(objectionTo(asked, policy, [], monday), [
      "approval",
      "at most 100 USDC without an approval: limitbot signer approve USDC 150",
      "150 USDC"
    ])
    assert.isUndefined(check(word()))
    for (const entries of [
      [word({ amount: "14999" })],
      [word({ asset: "btc" })],
      [word({ validUntil: monday })],
      [word({ by: "ed25519:another" })],
      [word(), { ...signed(monday, pay(12_000n, "usdc", "e")), approvals: ["one"] }]
    ])
      assert.strictEqual(check(...entries), "approval", JSON.stringify(entries))
    const small = word({ amount: "16000", approvals: ["small"] })
    assert.deepStrictEqual(approvalFor(asked, policy, [word(), small], monday + 1)?.approvals, ["small"])
  })

  it("forbid at once and allow after the lock of the earlier policy, whatever comes between", () => {
    const arrival = (version: number, at: number, most: string, lockMillis = dayMillis): Ruled.Arrival => ({
      version,
      at,
      lockMillis,
      policy: policyIn(
        text((same) => same.replace("maxPerHour: 800", `maxPerHour: ${most}`).replace(/total: .*\n/, ""))
      ).policy
    })
    const mostAt = (arrivals: ReadonlyArray<Ruled.Arrival>, now: number): number => {
      const seen = arrivals.filter(({ at }) => at <= now)
      const holding = Ruled.holdingAt(seen, now).map(({ policy }) => policy)
      const isSigned = (amount: number) =>
        holding.every((policy) => objectionTo(pay(BigInt(amount * 100)), policy, [], now) === undefined)
      return [500, 400, 300, 200, 100].find(isSigned) ?? 0
    }
    const looser = [arrival(1, monday, "200"), arrival(2, monday + hourMillis, "400")]
    assert.deepStrictEqual(
      [0, hourMillis, hourMillis + dayMillis - 1, hourMillis + dayMillis].map((after) =>
        mostAt(looser, monday + after)
      ),
      [200, 200, 200, 400]
    )
    const tighter = [arrival(1, monday, "400"), arrival(2, monday + hourMillis, "100")]
    assert.deepStrictEqual(
      [0, hourMillis].map((after) => mostAt(tighter, monday + after)),
      [400, 100]
    )
    // One that has no lock of its own does not shorten that of the one before it, and what comes just before its end begins it anew.
    const hasty = [
      arrival(1, monday, "200"),
      arrival(2, monday + 1, "300", 1),
      arrival(3, monday + dayMillis, "400", 1)
    ]
    assert.deepStrictEqual(
      [dayMillis, dayMillis + 1, 2 * dayMillis - 1, 2 * dayMillis].map((after) => mostAt(hasty, monday + after)),
      [200, 200, 200, 400]
    )
  })

  it.each([
    [
      "no price for a total",
      (same: string) => same.replace("price: 60000, ", ""),
      "BTC has no price, which the totals need"
    ],
    [
      "no approvers",
      (same: string) => same.replace("maxTransfer: 500", "maxTransfer: 500, approveAbove: 1"),
      "no approver for payments of USDC"
    ],
    [
      "too many decimals",
      (same: string) => same.replace("maxTransfer: 500", "maxTransfer: 0.001"),
      "more than 2 decimals"
    ],
    ["invalid hours", (same: string) => `${same}hours: [mon 8-18]\n`, "days and hours in UTC"],
    [
      "two rows of one asset",
      (same: string) =>
        same.replace(
          "total:",
          "  MORE: { id: usdc, decimals: 2, price: 1, maxTransfer: 9999, maxPerDay: 9999 }\ntotal:"
        ),
      "MORE has the same id as USDC"
    ],
    ["a total without a cap", (same: string) => same.replace(/total: .*/, "total: {}"), "the total has no cap"],
    ["version zero", (same: string) => same.replace("version: 1\n", "version: 0\n"), "from 1 to 1000000000"],
    ["a version above a billion", (same: string) => same.replace("version: 1\n", "version: 1000000001\n"), "from 1 to"],
    ["no version", (same: string) => same.replace("version: 1\n", ""), 'missing key "version"'],
    ["no assets", (same: string) => same.replace(/assets:[\s\S]*/, ""), 'missing key "assets"']
  ])("are refused with %s", (_, change, message) => {
    assert.include(problems(text(change)), message)
  })
})

const assertWithin = (policy: Policy, entries: ReadonlyArray<RecordEntry>, seed: number): void => {
  for (const name of spanNames) {
    for (const { at: end } of entries) {
      const within = entries.filter(({ at }) => at <= end && at > end - spans[name].millis)
      let worth = Decimal.zero
      for (const [asset, { decimals, price = Decimal.zero, ...cap }] of policy.caps) {
        const sum = within.reduce((sum, each) => (each.asset === asset ? sum + BigInt(each.amount ?? "0") : sum), 0n)
        const most = cap[name]
        if (most !== undefined) assert.isTrue(sum <= most, `seed ${seed}: ${sum} of ${asset} ${name}`)
        worth = Decimal.add(worth, Decimal.multiply(Decimal.make(sum, decimals), price))
      }
      const most = policy.total?.[name]
      if (most !== undefined)
        assert.isFalse(Decimal.isGreater(worth, most), `seed ${seed}: ${Decimal.format(worth)} ${name}`)
    }
  }
}
