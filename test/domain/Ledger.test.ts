/** What each kind of event moves in the ledger, place by place; a life of an order moves everything out and home again. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { BotEvent, Of } from "../../src/domain/BotEvent.ts"
import * as Ledger from "../../src/domain/Ledger.ts"
import { byHand } from "../../src/domain/Placement.ts"
import * as LedgerFaults from "../world/bot/ledgerFaults.ts"

const about = { strategy: "s", slot: "cell", placement: "p" }
const asset = "USDC"

/** The books after these events, as "asset place owner amount", sorted; a counter account has its name. */
const holding = (...events: ReadonlyArray<BotEvent>): ReadonlyArray<string> => {
  const ledger = folded(...events)
  return [...ledger.balances.values()]
    .map(({ amount, entry }) => `${entry.asset} ${entry.account} ${entry.owner} ${amount}`)
    .sort()
}

const folded = (...events: ReadonlyArray<BotEvent>): Ledger.Ledger => {
  const ledger = Ledger.make()
  for (const event of events) Ledger.apply(ledger, event)
  for (const [what, sum] of LedgerFaults.sums(ledger)) assert.strictEqual(sum, 0n, what)
  return ledger
}

const budget = (amount: bigint, what = asset): BotEvent => ({
  _tag: "BudgetAllotted",
  strategy: "s",
  asset: what,
  amount
})
const started: BotEvent = { _tag: "BotStarted", pid: 1, version: "1", mode: "live", account: "a", venue: "v" }
const loaded: BotEvent = {
  _tag: "StrategyLoaded",
  strategy: "s",
  file: "s.yaml",
  kind: "grid",
  market: "BTC/USDC",
  hash: "h"
}
const removed: BotEvent = { _tag: "StrategyRemoved", strategy: "s", orders: "drained" }
const signed = (amount: bigint, owner = about): BotEvent => ({
  _tag: "FundingSigned",
  ...owner,
  orderId: "o",
  depositAddress: "d",
  asset,
  amount,
  signed: Redacted.make("bytes"),
  intentHash: "h",
  validUntil: 1
})
const asked = (amount: bigint, owner = about): BotEvent => ({
  _tag: "PaymentAsked",
  ...owner,
  orderId: "o",
  depositAddress: "d",
  asset,
  amount,
  wallet: "manual",
  validUntil: 1
})
const moved = (tag: "FundingInDoubt" | "FundingDead", amount: bigint, owner = about): BotEvent => ({
  _tag: tag,
  ...owner,
  asset,
  amount,
  reason: "r"
})
const deposited = (fresh: bigint, owner = about): BotEvent => ({
  _tag: "DepositSeen",
  ...owner,
  asset,
  total: fresh,
  fresh
})
const fill = (amountIn: bigint, amountOut: bigint, outputAsset = "BTC"): BotEvent => ({
  _tag: "FillSeen",
  ...about,
  fillId: "f",
  side: "BUY",
  price: { digits: 1n, scale: 0 },
  inputAsset: asset,
  amountIn,
  outputAsset,
  amountOut,
  filledAt: 1
})
const closed = (unspent: bigint): BotEvent => ({
  _tag: "Closed",
  ...about,
  status: "CANCELED",
  inputAsset: asset,
  unspent
})
const paying = (amount: bigint): BotEvent => ({ _tag: "PayoutStarted", ...about, asset: "BTC", amount })
const paid = (amount: bigint, fee: bigint): BotEvent => ({
  _tag: "PaidOut",
  ...about,
  asset: "BTC",
  amount,
  fee,
  txHashes: []
})
const refunded = (amount: bigint, fee: bigint, owner = about): BotEvent => ({
  _tag: "Refunded",
  ...owner,
  asset,
  amount,
  fee,
  txHashes: []
})
const failed = (leg: "payout" | "refund", amount: bigint): BotEvent => ({
  _tag: "LegFailed",
  ...about,
  leg,
  asset: leg === "payout" ? "BTC" : asset,
  amount,
  reason: "r"
})
const settled: BotEvent = { _tag: "Settled", ...about }
const takenBack: Of<"TakenBack"> = {
  _tag: "TakenBack",
  ...about,
  orderId: "o",
  market: "BTC/USDC",
  side: "BUY",
  price: { digits: 1n, scale: 0 },
  deadline: 1,
  inputAsset: "USDC",
  inputAmount: 100n,
  outputAsset: "BTC",
  outputAmount: 10n,
  estimatedWithdrawFee: 1n,
  estimatedRefundFee: 1n,
  deposited: 1n,
  fills: [],
  payoutFee: 0n,
  refundFee: 0n
}

const said = (word: "paid" | "not-paid" | "adopt" | "forget", owner = about): BotEvent => ({
  _tag: "Resolved",
  ...owner,
  word,
  text: "t"
})
const legClosed = (side: "BUY" | "SELL", rest: bigint): BotEvent => ({
  _tag: "LegClosed",
  strategy: "s",
  slot: "cell",
  side,
  asset,
  rest,
  reason: "r"
})
const outside = "USDC outside s -100"

describe("the ledger", () => {
  it("posts the change of a budget", () => {
    assert.deepStrictEqual(holding(budget(100n)), [outside, "USDC wallet s 100"])
    assert.deepStrictEqual(holding(budget(70n), budget(100n)), [outside, "USDC wallet s 100"])
    assert.deepStrictEqual(holding(budget(130n), budget(100n)), [outside, "USDC wallet s 100"])
    assert.deepStrictEqual(Ledger.apply(folded(budget(100n)), budget(100n)), [])
  })

  it("follows an order from the wallet to its output and its refund", () => {
    const life = [budget(100n), signed(60n), deposited(60n), fill(40n, 7n), closed(20n), paying(7n)]
    const wallet = "USDC wallet s 40"
    const traded = ["BTC traded s -7", outside, "USDC traded s 40"]
    const at = (count: number) => holding(...life.slice(0, count))
    const sorted = (...lines: ReadonlyArray<string>) => lines.toSorted()
    assert.deepStrictEqual(at(2), sorted(outside, wallet, "USDC deposit in flight p 60"))
    assert.deepStrictEqual(holding(budget(100n), asked(60n)), at(2))
    assert.deepStrictEqual(at(3), sorted(outside, wallet, "USDC in order p 60"))
    assert.deepStrictEqual(at(4), sorted(...traded, wallet, "USDC in order p 20", "BTC filled unpaid p 7"))
    assert.deepStrictEqual(at(5), sorted(...traded, wallet, "USDC refund in flight p 20", "BTC filled unpaid p 7"))
    assert.deepStrictEqual(at(6), sorted(...traded, wallet, "USDC refund in flight p 20", "BTC payout in flight p 7"))
    assert.deepStrictEqual(
      holding(...life, paid(6n, 1n), refunded(18n, 2n), settled),
      sorted(...traded, "USDC wallet s 58", "BTC wallet s 6", "BTC fees s 1", "USDC fees s 2")
    )
  })

  it("names what is left of a settled order as unexplained, and pays what arrives later from there", () => {
    const short = folded(budget(100n), signed(60n), deposited(60n), fill(40n, 7n), closed(20n), paying(7n), settled)
    assert.isTrue(Ledger.isUnexplained(short, "p"))
    assert.isFalse(Ledger.isUnexplained(short, "s"))
    assert.isFalse(Ledger.isUnexplained(folded(budget(100n), signed(60n)), "p"))
    assert.strictEqual(Ledger.heldBy(short, "p", asset, "residual"), 20n)
    assert.strictEqual(Ledger.heldBy(short, "p", "BTC", "residual"), 7n)
    Ledger.apply(short, refunded(18n, 2n))
    assert.strictEqual(Ledger.heldBy(short, "p", asset, "residual"), 0n)
    assert.strictEqual(Ledger.freeOf(short, "s", asset), 58n)
  })

  it("books a failed leg that completes after all from the unexplained amount, if all of it is there", () => {
    const before = [budget(100n), signed(60n), deposited(60n), fill(40n, 7n), closed(20n), paying(7n)]
    const broken = [...before, failed("payout", 7n), failed("refund", 20n)]
    assert.deepStrictEqual(
      holding(...broken).filter((line) => line.includes(" p ")),
      ["BTC residual p 7", "USDC residual p 20"]
    )
    assert.deepStrictEqual(holding(...broken, paid(6n, 1n), refunded(18n, 2n)), [
      "BTC fees s 1",
      "BTC traded s -7",
      "BTC wallet s 6",
      "USDC fees s 2",
      outside,
      "USDC traded s 40",
      "USDC wallet s 58"
    ])
    // More came than was given up: it comes from its own place, which shows what does not add up.
    const more = folded(...broken, paid(7n, 1n))
    assert.strictEqual(Ledger.heldBy(more, "p", "BTC", "residual"), 7n)
    assert.strictEqual(Ledger.heldBy(more, "p", "BTC", "payout in flight"), -8n)
    assert.deepStrictEqual(LedgerFaults.overdrawn(more), ["p: -8 BTC in payout in flight"])
    assert.deepStrictEqual(holding(paid(1n, 0n)), ["BTC payout in flight p -1", "BTC wallet s 1"])
    // A part of the payout is still under way: that is where it comes from.
    const part = folded(...before, failed("payout", 4n), paid(2n, 1n))
    assert.strictEqual(Ledger.heldBy(part, "p", "BTC", "residual"), 4n)
    assert.strictEqual(Ledger.heldBy(part, "p", "BTC", "payout in flight"), 0n)
  })

  it("takes a deposit from in flight, in doubt or given up, else from the wallet", () => {
    const doubt = [budget(100n), signed(60n), moved("FundingInDoubt", 25n)]
    assert.deepStrictEqual(holding(...doubt), [
      "USDC deposit in flight p 35",
      "USDC in doubt p 25",
      outside,
      "USDC wallet s 40"
    ])
    const lost = [budget(100n), signed(15n), said("forget"), signed(45n), moved("FundingInDoubt", 25n)]
    assert.deepStrictEqual(holding(...lost, deposited(70n)), ["USDC in order p 70", outside, "USDC wallet s 30"])
    const part = folded(...lost, deposited(30n))
    for (const [place, amount] of [
      ["in order", 30n],
      ["deposit in flight", 0n],
      ["in doubt", 15n],
      ["residual", 15n]
    ] as const)
      assert.strictEqual(Ledger.heldBy(part, "p", asset, place), amount, place)
  })

  it("returns an unmade payment, from doubt first; a repeated request is in flight again", () => {
    const doubt = [budget(100n), signed(60n), moved("FundingInDoubt", 25n)]
    assert.deepStrictEqual(holding(...doubt, moved("FundingDead", 60n)), [outside, "USDC wallet s 100"])
    assert.deepStrictEqual(holding(...doubt, moved("FundingDead", 20n)), [
      "USDC deposit in flight p 35",
      "USDC in doubt p 5",
      outside,
      "USDC wallet s 60"
    ])
    assert.deepStrictEqual(holding(...doubt, { _tag: "PaymentAskedAgain", ...about, attempt: 2 }), [
      "USDC deposit in flight p 60",
      outside,
      "USDC wallet s 40"
    ])
  })

  it("puts money where the operator says that it is", () => {
    const doubt = [budget(100n), signed(15n), said("forget"), signed(45n), moved("FundingInDoubt", 25n)]
    assert.deepStrictEqual(holding(...doubt, said("paid")), [
      "USDC deposit in flight p 45",
      outside,
      "USDC wallet s 55"
    ])
    assert.deepStrictEqual(holding(...doubt, said("not-paid")), [outside, "USDC residual p 15", "USDC wallet s 85"])
    assert.deepStrictEqual(holding(...doubt, said("forget")), [outside, "USDC residual p 60", "USDC wallet s 40"])
    assert.deepStrictEqual(holding(...doubt, said("adopt")), holding(...doubt))
    const other = { ...about, placement: "q" }
    assert.deepStrictEqual(holding(...doubt, said("forget", other)), holding(...doubt), "of nobody else's money")
  })

  it("keeps the remainder of a sale as dust, at most what is free, and none of a purchase", () => {
    assert.deepStrictEqual(holding(budget(100n), legClosed("SELL", 3n)), ["USDC dust s 3", outside, "USDC wallet s 97"])
    assert.deepStrictEqual(holding(budget(100n), legClosed("SELL", 300n)), ["USDC dust s 100", outside])
    assert.deepStrictEqual(holding(budget(100n), legClosed("BUY", 3n)), [outside, "USDC wallet s 100"])
    const overdrawn = [budget(100n), signed(101n)]
    assert.deepStrictEqual(holding(...overdrawn, legClosed("SELL", 3n)), holding(...overdrawn))
    assert.strictEqual(Ledger.dustOf(folded(budget(100n), legClosed("SELL", 3n)), "s", asset), 3n)
  })

  it("pays an order that sells dust from dust, then from the wallet; what stays unsold is dust again", () => {
    const sweep = { ...about, slot: Ledger.dustSlot(asset) }
    const dusty = [budget(100n), legClosed("SELL", 3n)]
    assert.deepStrictEqual(holding(...dusty, signed(2n, sweep)), [
      "USDC deposit in flight p 2",
      "USDC dust s 1",
      outside,
      "USDC wallet s 97"
    ])
    const all = [...dusty, asked(5n, sweep)]
    assert.deepStrictEqual(holding(...all), ["USDC deposit in flight p 5", outside, "USDC wallet s 95"])
    assert.deepStrictEqual(holding(...all, moved("FundingDead", 5n, sweep)), [
      "USDC dust s 5",
      outside,
      "USDC wallet s 95"
    ])
    assert.deepStrictEqual(holding(...all, deposited(5n, sweep), closed(5n), refunded(4n, 1n, sweep)), [
      "USDC dust s 4",
      "USDC fees s 1",
      outside,
      "USDC wallet s 95"
    ])
    assert.deepStrictEqual(holding(budget(100n), signed(2n, sweep)), holding(budget(100n), signed(2n)))
    assert.deepStrictEqual(holding(...dusty, signed(2n)), [
      "USDC deposit in flight p 2",
      "USDC dust s 3",
      outside,
      "USDC wallet s 95"
    ])
  })

  it("counts what a move between accounts loses as its fee, and nothing of it as traded", () => {
    assert.deepStrictEqual(holding(budget(100n), signed(60n), deposited(60n), fill(60n, 57n, asset)), [
      "USDC fees s 3",
      "USDC filled unpaid p 57",
      outside,
      "USDC wallet s 40"
    ])
  })

  it("takes the money of swaps by hand from outside and returns it there", () => {
    const hand = { ...about, strategy: byHand }
    const life = [signed(60n, hand), deposited(70n, hand)]
    assert.deepStrictEqual(holding(...life), ["USDC in order p 70", "USDC outside by hand -70"])
    assert.deepStrictEqual(holding(...life, closed(70n), refunded(69n, 1n, hand)), [
      "USDC fees by hand 1",
      "USDC outside by hand -1"
    ])
    assert.strictEqual(Ledger.broughtByHand(folded(...life), asset), -70n)
    const doubt = [signed(60n, hand), moved("FundingInDoubt", 60n, hand)]
    assert.deepStrictEqual(holding(...doubt, said("not-paid", hand)), [])
  })

  it("takes back the end of a move with its fee", () => {
    const paidIn = [budget(100n), signed(60n), deposited(60n)]
    for (const brought of [57n, 60n, 61n]) {
      const end = [
        fill(60n, brought, asset),
        closed(0n),
        { ...paying(brought), asset },
        { ...paid(brought, 0n), asset }
      ]
      const fills = [{ fillId: "f", amountIn: 60n, amountOut: brought }]
      const back: BotEvent = { ...takenBack, outputAsset: asset, deposited: 60n, fills }
      assert.deepStrictEqual(holding(...paidIn, ...end, settled, back), holding(...paidIn))
      assert.deepStrictEqual(holding(...paidIn, ...end.slice(0, 2), back), holding(...paidIn))
      assert.deepStrictEqual(holding(...paidIn, ...end, settled, back, ...end, settled), holding(...paidIn, ...end))
    }
  })
})

describe("figures of the ledger", () => {
  const spent = folded(budget(100n), signed(60n), deposited(60n), fill(40n, 7n), closed(20n), paying(7n), paid(6n, 1n))

  it("owned by a strategy are all its deposits plus gains of trading less fees", () => {
    assert.strictEqual(Ledger.ownedBy(spent, "s", asset), 60n)
    assert.strictEqual(Ledger.ownedBy(spent, "s", "BTC"), 6n)
  })

  it("are totals by place in their order, assets by name, without zeros", () => {
    const both = folded(budget(5n, "ETH"), budget(5n, "BTC"), budget(100n), signed(60n), budget(10n, "AAVE"))
    assert.deepStrictEqual(
      Ledger.totals(both).map(({ asset: what, place, amount }) => [what, place, amount]),
      [
        ["AAVE", "wallet", 10n],
        ["BTC", "wallet", 5n],
        ["ETH", "wallet", 5n],
        ["USDC", "wallet", 40n],
        ["USDC", "deposit in flight", 60n]
      ]
    )
    for (const order of ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"])
      assert.deepStrictEqual(
        Ledger.totals(folded(...[...order].map((what) => budget(1n, what)))).map((each) => each.asset),
        ["A", "B", "C"]
      )
    const two = folded(budget(100n), signed(10n), signed(20n, { ...about, placement: "q" }))
    assert.deepStrictEqual(Ledger.totals(two)[1], { asset, place: "deposit in flight", amount: 30n })
    const even = folded(budget(30n), signed(30n), signed(1n), moved("FundingDead", 1n))
    assert.isFalse(Ledger.totals(even).some(({ place }) => place === "wallet"))
  })

  it("of a stopped strategy are what its orders hold; what is free returns to the account, also later", () => {
    const events = [started, loaded, budget(100n), signed(60n), deposited(60n)]
    for (const end of [removed, started]) {
      const gone = [...events, end]
      assert.deepStrictEqual(Ledger.totals(folded(...gone)), [{ asset, place: "in order", amount: 60n }])
      assert.strictEqual(Ledger.givenBackOf(folded(...gone), asset), 40n)
      assert.strictEqual(Ledger.ownedBy(folded(...gone), "s", asset), 60n)
      const ended = [...gone, fill(20n, 3n), closed(40n), paying(3n), paid(3n, 0n), refunded(39n, 1n), settled]
      assert.deepStrictEqual(Ledger.totals(folded(...ended)), [{ asset, place: "fees", amount: 1n }])
      assert.deepStrictEqual(Ledger.givenBack(folded(...ended)), [
        { asset, strategy: "s", amount: 79n },
        { asset: "BTC", strategy: "s", amount: 3n }
      ])
      const again = [...ended, loaded, budget(100n)]
      const never = ended.filter((event) => event !== end)
      assert.deepStrictEqual(holding(...again), holding(...never, ...(end === started ? [started, loaded] : [])))
      assert.strictEqual(Ledger.freeOf(folded(...again, budget(50n)), "s", asset), 29n, "only the difference moves")
    }
  })

  it("of a stopped strategy have no dust until it is loaded again; swaps by hand are not a strategy", () => {
    const dusty = [started, loaded, budget(9n), legClosed("SELL", 4n)]
    assert.strictEqual(Ledger.dustOf(folded(...dusty), "s", asset), 4n)
    assert.strictEqual(Ledger.dustOf(folded(...dusty, removed), "s", asset), 0n)
    assert.strictEqual(Ledger.givenBackOf(folded(...dusty, removed), asset), 9n)
    assert.deepStrictEqual(holding(...dusty, removed, loaded), holding(...dusty))
    const own = { ...about, strategy: byHand }
    assert.deepStrictEqual(holding(signed(5n, own), started), holding(signed(5n, own)))
  })

  it("can leave out given orders", () => {
    const two = folded(budget(100n), signed(10n), signed(20n, { ...about, placement: "q" }))
    const lines = ({ balances }: Ledger.Ledger) =>
      [...balances.values()].map(({ entry }) => `${entry.account} ${entry.owner}`)
    const all = ["outside s", "wallet s", "deposit in flight p", "deposit in flight q"]
    assert.sameMembers(lines(two), all)
    assert.sameMembers(lines(Ledger.without(two, new Set(["p"]))), all.toSpliced(2, 1))
  })

  it("sum to zero over every account of an asset in correct books", () => {
    assert.deepStrictEqual(
      LedgerFaults.sums(spent),
      new Map([
        [asset, 0n],
        ["BTC", 0n]
      ])
    )
    const entry = (owner: string) => ({ asset, account: "wallet", owner }) as const
    const wrong = { balances: new Map([1n, 2n, 4n].map((amount) => [String(amount), { entry: entry("s"), amount }])) }
    assert.deepStrictEqual(LedgerFaults.sums(wrong), new Map([[asset, 7n]]))
  })

  it("do not change with an event that moves no money", () => {
    assert.deepStrictEqual(Ledger.apply(Ledger.make(), { _tag: "BotStopped", reason: "signal" }), [])
  })

  it("below zero in a real place are faults, to the last unit; counter accounts may be negative", () => {
    assert.deepStrictEqual(LedgerFaults.overdrawn(spent), [])
    assert.deepStrictEqual(LedgerFaults.overdrawn(folded(budget(100n), signed(101n))), ["s: -1 USDC in wallet"])
  })

  it("put a reopened order's pending refund and payout back into the order", () => {
    const events = [budget(100n), signed(100n), deposited(100n), fill(30n, 3n), closed(70n), paying(3n)]
    const reopened = { _tag: "Reopened", ...about, status: "OPEN", asset, amount: 70n } as const
    const before = [budget(100n), signed(100n), deposited(100n), fill(30n, 3n)]
    assert.deepStrictEqual(holding(...events, reopened), holding(...before))
  })

  it("put the deposit back into an order that lives on after its books are closed", () => {
    const before = [budget(100n), signed(100n), deposited(100n)]
    const events = [...before, fill(30n, 3n), closed(70n), paying(3n), paid(2n, 1n), refunded(68n, 2n), settled]
    const back: BotEvent = {
      ...takenBack,
      deposited: 100n,
      fills: [{ fillId: "f", amountIn: 30n, amountOut: 3n }],
      payoutFee: 1n,
      refundFee: 2n
    }
    assert.deepStrictEqual(holding(...events, back), holding(...before))
    const short = [...before, fill(30n, 3n), closed(70n), paying(3n), paid(1n, 1n), refunded(60n, 2n), settled]
    assert.deepStrictEqual(holding(...short, back), holding(...before), "what was unexplained is not any more")
    const failing = [...before, fill(30n, 3n), closed(70n), failed("refund", 70n)]
    assert.deepStrictEqual(holding(...failing, { ...back, payoutFee: 0n, refundFee: 0n }), holding(...before))
  })

  it("have money that is given up in no account, and as unexplained if it arrives after all", () => {
    const events = [budget(100n), signed(100n), deposited(100n), closed(100n), failed("refund", 100n)]
    const loss = { ...about, market: "BTC/USDC", asset, amount: 100n } as const
    const lost = folded(...events, { _tag: "WrittenOff", ...loss })
    assert.strictEqual(Ledger.ownedBy(lost, "s", asset), 0n)
    assert.deepStrictEqual(Ledger.totals(lost), [{ asset, place: "lost", amount: 100n }])
    assert.deepStrictEqual([...Ledger.holdingsOf(folded(...events), "p")], [[asset, 100n]])
    assert.deepStrictEqual(
      holding(...events, { _tag: "WrittenOff", ...loss }, { _tag: "Found", ...loss }),
      holding(...events)
    )
  })

  it("need only the kinds of events that move money, each of them", () => {
    const moving = new Set<string>(Ledger.movingTags)
    for (const event of [
      started,
      loaded,
      removed,
      budget(1n),
      legClosed("SELL", 1n),
      asked(1n),
      signed(1n),
      moved("FundingInDoubt", 1n),
      { _tag: "PaymentAskedAgain", ...about, attempt: 1 } as const,
      moved("FundingDead", 1n),
      deposited(1n),
      fill(1n, 1n),
      closed(1n),
      { _tag: "Reopened", ...about, status: "OPEN", asset: "USDC", amount: 1n } as const,
      takenBack,
      paying(1n),
      paid(1n, 1n),
      refunded(1n, 1n),
      failed("refund", 1n),
      settled,
      said("paid"),
      { _tag: "WrittenOff", ...about, market: "BTC/USDC", asset: "USDC", amount: 1n } as const,
      { _tag: "Found", ...about, market: "BTC/USDC", asset: "USDC", amount: 1n } as const
    ])
      assert.isTrue(moving.delete(event._tag), event._tag)
    assert.strictEqual(moving.size, 0)
  })
})
