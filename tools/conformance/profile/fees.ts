/**
 * Fees by their schedule: those of quotes by comparing two of them, those of orders in their echo. All shares are basis points.
 * What the protocol takes of each settlement may be in an echo or not, and is smaller than what can be told apart here.
 */
import type { VenueFacts } from "../../../src/venue/profile/Facts.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, isRecord, that } from "../Seen.ts"
import type { Answer, As, Asset, Fields, World } from "../World.ts"
import type { FactRow } from "./FactRow.ts"

interface Trade {
  readonly isPartner?: boolean
  readonly isAlike?: boolean
  /** Asked for, to our own account. */
  readonly appFee?: number
}

/** What goes to the recipient of the app fee, and what the service keeps. */
const expected = ({ fees }: VenueFacts, { appFee = 0, isAlike = false, isPartner = true }: Trade) => {
  const least = !isPartner ? fees.withoutPartner : isAlike ? fees.alike : fees.withPartner
  if (!isPartner || appFee === 0 || fees.appFees === "added") return { own: appFee, service: least }
  const own = Math.ceil(appFee / 2)
  return { own, service: Math.max(least, appFee - own) }
}
const totalOf = (facts: VenueFacts, trade: Trade): number => {
  const { own, service } = expected(facts, trade)
  return own + service + facts.fees.settlement
}

const isShared = ({ fees }: VenueFacts): boolean => fees.appFees === "shared"
const isAdded = (facts: VenueFacts): boolean => !isShared(facts)
const near = (found: number, wanted: number, within: number, what: string): string => {
  that(Math.abs(found - wanted) <= within, `${what}: expected ${wanted}, found ${found.toFixed(3)} basis points`)
  return `${found.toFixed(3)} basis points`
}

const feeFor = (world: World, fee: number): Fields =>
  fee === 0 ? {} : { appFees: [{ recipient: world.account().signerId, fee }] }

/** Two assets of one kind, such as two dollars. */
const stablePair = async (world: World): Promise<readonly [Asset, Asset]> => {
  const [one, two] = (await world.tokens()).filter(({ symbol }) => world.facts.fees.stable.includes(symbol))
  return one === undefined || two === undefined ? cannotShow("it does not list two of the stable assets") : [one, two]
}

interface Echo {
  readonly own: number
  readonly others: number
}

/** What a created order says that it costs. */
const echoOf = async (world: World, changes: Fields, as?: As): Promise<Echo> => {
  const body = await Scenes.orderBody(world, changes)
  const answer = await world.post("/v0/orders", body, as)
  if (answer.status >= 300) return cannotShow(`no order: ${answer.status} ${answer.text.slice(0, 200)}`)
  const echoed = at(answer.body, "data.attributes.appFees")
  const fees = (Array.isArray(echoed) ? echoed : []).filter(isRecord)
  const { signerId } = world.account()
  const sum = (of: ReadonlyArray<Fields>) => of.reduce((total, { fee }) => total + Number(fee), 0)
  const own = fees.filter(({ recipient }) => recipient === signerId)
  return { own: sum(own), others: sum(fees.filter((fee) => !own.includes(fee))) }
}

const echoes = (world: World, trade: Trade, changes: Fields = {}, as?: As) =>
  echoOf(world, { ...feeFor(world, trade.appFee ?? 0), ...changes }, as).then(({ others, own }) => {
    const wanted = expected(world.facts, trade)
    near(own, wanted.own, 0, "our own share")
    return `${own} to us, ${near(others, wanted.service, world.facts.fees.settlement + 0.001, "the service's share")}`
  })

const amountOut = ({ body, status, text }: Answer): number =>
  status < 300 ? Number(at(body, "quote.amountOut")) : cannotShow(`no quote: ${status} ${text.slice(0, 200)}`)

/** Who asks for a quote, and with which changes. */
type Asked = readonly [as: As, changes?: Fields]

/** By how much less the second way of asking brings in than the first, at one price. */
const dearer = async (world: World, first: Asked, second: Asked): Promise<number> => {
  const ask = async ([as, changes]: Asked) =>
    amountOut(await world.post("/v0/quote", await Scenes.quoteFields(world, changes), as))
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const before = await ask(first)
    const found = await ask(second)
    if ((await ask(first)) === before) return (1 - found / before) * 10_000
  }
  return cannotShow("the price moves too quickly")
}
const difference = (facts: VenueFacts, cheap: Trade, dear: Trade): number =>
  (1 - (10_000 - totalOf(facts, dear)) / (10_000 - totalOf(facts, cheap))) * 10_000

const asked = [10, 21, 40]

const sharedRows = asked.map(
  (appFee): FactRow => ({
    fact: "fees.appFees",
    name: `shared-${appFee}`,
    sentence: `Of an app fee of ${appFee} half goes to its recipient, and the service keeps its least`,
    applies: isShared,
    look: (world) => echoes(world, { appFee })
  })
)
const addedRows = asked.map(
  (appFee): FactRow => ({
    fact: "fees.appFees",
    name: `added-${appFee}`,
    sentence: `An app fee of ${appFee} goes to its recipient`,
    applies: isAdded,
    look: async (world) => near((await echoOf(world, feeFor(world, appFee))).own, appFee, 0, "our own share")
  })
)

export const feeRows: ReadonlyArray<FactRow> = [
  {
    fact: "fees.withPartner",
    name: "order",
    sentence: "The echo of a partner's order without app fees has the service's fee",
    applies: isShared,
    look: (world) => echoes(world, {})
  },
  {
    fact: "fees.alike",
    name: "order",
    sentence: "An order between two stable assets costs less",
    applies: isShared,
    look: async (world) => {
      const [base, quote] = await stablePair(world)
      const quantity = String(50n * 10n ** BigInt(base.decimals))
      const pair = { baseAsset: base.id, quoteAsset: quote.id, quantity, price: "2" }
      return echoes(world, { isAlike: true }, pair)
    }
  },
  {
    fact: "fees.alike",
    name: "app fees",
    sentence: "Between two stable assets the service keeps half of an app fee, and its lower least",
    applies: isShared,
    look: async (world) => {
      const [base, quote] = await stablePair(world)
      const quantity = String(50n * 10n ** BigInt(base.decimals))
      const pair = { baseAsset: base.id, quoteAsset: quote.id, quantity, price: "2" }
      return echoes(world, { isAlike: true, appFee: 10 }, pair)
    }
  },
  {
    fact: "fees.withoutPartner",
    name: "order",
    sentence: "The echo of an order that a user's session makes has the fee of those without a partner",
    applies: isShared,
    look: (world) => echoes(world, { isPartner: false }, {}, "user")
  },
  {
    fact: "fees.withoutPartner",
    name: "quote",
    sentence: "A quote without a partner's credential is dearer by the difference of both fees",
    look: async (world) => {
      const wanted = difference(world.facts, {}, { isPartner: false })
      const found = await dearer(world, ["partner token"], ["nobody"])
      return near(found, wanted, 0.5, "the difference")
    }
  },
  {
    fact: "fees.credential",
    name: "quote",
    sentence: "This credential makes a quote a partner's",
    look: async (world) => {
      const as = world.facts.fees.credential === "apiKey" ? "partner key" : "partner token"
      const found = await dearer(world, [as], ["nobody"])
      return near(found, difference(world.facts, {}, { isPartner: false }), 0.5, "the difference")
    }
  },
  ...sharedRows,
  ...addedRows,
  ...asked.map(
    (appFee): FactRow => ({
      fact: "fees.appFees",
      name: `quote-${appFee}`,
      sentence: `An app fee of ${appFee} makes a quote dearer as the schedule says`,
      look: async (world) => {
        const found = await dearer(world, ["partner token"], ["partner token", feeFor(world, appFee)])
        return near(found, difference(world.facts, {}, { appFee }), 0.5, "the difference")
      }
    })
  ),
  ...[false, true].map(
    (fillsNet): FactRow => ({
      fact: "fees.fillsNet",
      name: fillsNet ? "net" : "gross",
      sentence: fillsNet
        ? "The fills of an order come to its limit, or to less by no more than the fees of its echo"
        : "The fills of an order come to its limit at least",
      applies: ({ fees }) => fees.fillsNet === fillsNet,
      look: async (world) => {
        const { seen } = await Scenes.filledOrder(world)
        const order = at(seen.at(-1)?.body, "data.attributes")
        const fills = at(order, "partialFills")
        const least = Number(at(order, "swapView.minAmountOut"))
        const got = (Array.isArray(fills) ? fills : []).reduce(
          (sum: number, fill) => sum + Number(at(fill, "amountOut")),
          0
        )
        const echoed = at(order, "appFees")
        const fees = (Array.isArray(echoed) ? echoed : []).reduce(
          (sum: number, entry) => sum + Number(at(entry, "fee")),
          0
        )
        const wanted = fillsNet ? Math.floor(least * (1 - fees / 10_000)) : least
        that(got >= wanted, `${got} is less than ${wanted}`)
        return `${got} for a limit of ${least}`
      }
    })
  ),
  {
    fact: "fees.flat",
    name: "inside",
    sentence: "An order from account to account estimates no fee of its payout or its refund",
    applies: ({ fees }) => fees.flat === "chains",
    look: async (world) => {
      const { body, status, text } = await world.post("/v0/orders", await Scenes.orderBody(world, {}))
      if (status >= 300) return cannotShow(`no order: ${status} ${text.slice(0, 200)}`)
      const fees = ["estimatedWithdrawFee", "estimatedRefundFee"].map((name) => at(body, `data.attributes.${name}`))
      that(
        fees.every((fee) => fee === "0"),
        `they are ${fees.join(" and ")}`
      )
      return undefined
    }
  },
  {
    fact: "fees.settlement",
    name: "move",
    sentence: "One asset from account to account costs the lower fee and the protocol's share, and nothing else",
    applies: ({ movesBetweenAccounts }) => movesBetweenAccounts,
    look: async (world) => {
      const { base } = await world.assets()
      const changes = { destinationAsset: base.id, recipientType: "CONFIDENTIAL_INTENTS" }
      const { body } = await world.post("/v0/quote", await Scenes.quoteFields(world, changes), "partner key")
      const [paid, got] = ["amountIn", "amountOut"].map((name) => Number(at(body, `quote.${name}`)))
      const found = (1 - (got ?? Number.NaN) / (paid ?? Number.NaN)) * 10_000
      // One smallest unit may be rounded away.
      const unit = 10_000 / Number(paid)
      return near(found, totalOf(world.facts, { isAlike: true }), 0.005 + unit, "the fee")
    }
  }
]
