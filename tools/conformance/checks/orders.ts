/** Sections 2.3, 3.2, 3.3 and 4.5: the order, its states, and its four endpoints. */
import { type Check, check } from "../Check.ts"
import {
  amount,
  decimal,
  depositTypes,
  fees,
  filled,
  flag,
  listOf,
  object,
  oneOf,
  orAbsent,
  orNull,
  type Row,
  recipientTypes,
  rows,
  shaped,
  text,
  time
} from "../Fields.ts"
import { mayBeRefused } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, isRecord, same, that, usual } from "../Seen.ts"
import type { Answer, World } from "../World.ts"

export const fillStatuses = [
  "AWAITING_DEPOSIT",
  "PENDING_CANCEL",
  "UNTRIGGERED",
  "OPEN",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELED",
  "EXPIRED"
]

const leg = shaped({ status: oneOf("IN_PROGRESS", "COMPLETED", "FAILED") })
const payouts = shaped({ withdrawal: orNull(leg), allWithdrawals: orAbsent(listOf(leg)), refund: orNull(leg) })
const fill = shaped({ id: text, amountIn: amount, amountOut: amount, createdAt: time, updatedAt: time })

const resourceRows: ReadonlyArray<Row> = [
  ["type", "required", oneOf("orders")],
  ["id", "required", filled],
  ["attributes", "required", object],
  ["links", "required", shaped({ self: filled })]
]

const attributeRows: ReadonlyArray<Row> = [
  ["orderType", "required", oneOf("LIMIT")],
  ["depositAddress", "required", filled],
  ["depositMemo", "sometimes", text],
  ["depositMode", "required", oneOf("SIMPLE", "MEMO")],
  ["depositType", "required", oneOf(...depositTypes)],
  ["fillStatus", "required", oneOf(...fillStatuses)],
  ["payoutStatus", "required", oneOf("NOT_STARTED", "IN_PROGRESS", "COMPLETED", "FAILED")],
  ["isPayoutStatusFinal", "required", flag],
  ["payouts", "required", payouts],
  ["depositedAmount", "required", amount],
  ["depositedAmountFormatted", "required", decimal],
  ["baseAsset", "required", filled],
  ["quoteAsset", "required", filled],
  ["quantity", "required", amount],
  ["swapView", "required", object],
  ["side", "required", oneOf("SELL", "BUY")],
  ["price", "required", decimal],
  ["appFees", "sometimes", fees],
  ["recipient", "required", filled],
  ["recipientType", "required", oneOf(...recipientTypes)],
  ["refundTo", "required", filled],
  ["refundType", "required", oneOf(...depositTypes)],
  ["estimatedWithdrawFee", "required", amount],
  ["estimatedWithdrawFeeFormatted", "required", decimal],
  ["estimatedRefundFee", "required", amount],
  ["estimatedRefundFeeFormatted", "required", decimal],
  ["confidentiality", "required", oneOf("public", "basic", "advanced")],
  ["timeInForce", "required", oneOf("GTC")],
  ["deadline", "required", time],
  ["createdAt", "required", time],
  ["partialFills", "sometimes", listOf(fill)]
]

const viewRows: ReadonlyArray<Row> = [
  ["swapType", "required", oneOf("EXACT_INPUT", "EXACT_OUTPUT")],
  ["originAsset", "required", filled],
  ["destinationAsset", "required", filled],
  ["amountIn", "required", amount],
  ["minAmountOut", "required", amount]
]

const metaRows: ReadonlyArray<Row> = [
  ["correlationId", "required", filled],
  ["timestamp", "required", time]
]

type Scene = (world: World) => Promise<Answer>

const one =
  (scene: Scene, path: string) =>
  async (world: World): Promise<ReadonlyArray<unknown>> => [at((await scene(world)).body, path)]

/** Also with what only some orders have, if the service makes such an order. */
const both =
  (scene: Scene, other: Scene, path: string) =>
  async (world: World): Promise<ReadonlyArray<unknown>> => [
    ...(await one(scene, path)(world)),
    ...(await one(other, path)(world).catch(() => []))
  ]

const listed = (world: World) => Scenes.list(world)
const everyListed = (path: string) => async (world: World) => {
  const data = at((await listed(world)).body, "data")
  return Array.isArray(data) ? data.map((entry) => (path === "" ? entry : at(entry, path))) : []
}
const lived = (path: string) => async (world: World) => {
  const seen: Array<Answer> = []
  let why = ""
  for (const scene of [Scenes.filledOrder, Scenes.cancelledOrder, Scenes.cancelledMemoOrder]) {
    await scene(world).then(
      (life) => seen.push(...life.seen),
      (error: Error) => {
        why = error.message
      }
    )
  }
  return seen.length === 0 ? cannotShow(why) : seen.map(({ body }) => at(body, path))
}

const memoCancel: Scene = async (world) => {
  const { seen } = await Scenes.cancelledMemoOrder(world)
  return seen[2] ?? cannotShow("there was no cancel")
}

const endpoints: ReadonlyArray<readonly [id: string, what: string, scene: Scene, withMemo: Scene]> = [
  ["create", "Created order", Scenes.order, Scenes.memoOrder],
  ["get", "Order by its id", Scenes.readBack, Scenes.memoReadBack],
  ["cancel", "Order that was cancelled", Scenes.cancelled, memoCancel]
]

const tables: ReadonlyArray<Check> = [
  ...endpoints.flatMap(([id, what, scene, withMemo]) => [
    ...rows(`2.3.${id}`, what, resourceRows, one(scene, "data")),
    ...rows(`2.3.${id}.attributes`, what, attributeRows, both(scene, withMemo, "data.attributes")),
    ...rows(`2.3.${id}.swapView`, `${what}, swapView`, viewRows, one(scene, "data.attributes.swapView")),
    ...rows(`2.1.${id}.meta`, `${what}, meta`, metaRows, one(scene, "meta"))
  ]),
  ...rows("2.3.list", "Listed orders", resourceRows, everyListed("")),
  ...rows("2.3.list.attributes", "Listed orders", attributeRows, everyListed("attributes")),
  ...rows("2.1.list.meta", "List of orders, meta", metaRows, one(listed, "meta")),
  ...rows("2.3.memo", "Order that is paid with a memo", attributeRows, one(Scenes.memoOrder, "data.attributes")),
  ...rows("2.3.life", "An order from its funding to its end", attributeRows, lived("data.attributes"))
]

const sent = [
  "orderType",
  "baseAsset",
  "quoteAsset",
  "quantity",
  "price",
  "refundTo",
  "recipient",
  "deadline",
  "depositMode",
  "timeInForce",
  "appFees"
]

/** A price may be written otherwise, and fees that we did not send may stand beside ours. */
const isEcho = (name: string, sent: unknown, found: unknown): boolean => {
  if (name === "price") return Number(found) === Number(sent)
  if (name !== "appFees") return JSON.stringify(found) === JSON.stringify(sent)
  const texts = (fees: unknown) =>
    (Array.isArray(fees) ? fees : []).map((fee) => `${at(fee, "recipient")} ${at(fee, "fee")}`)
  return texts(sent).every((fee) => texts(found).includes(fee))
}

/** Whether fees reduce what an order promises is not known: what they are stands in its echo, in basis points. */
const isWithinFees = (body: unknown, found: bigint, least: bigint): boolean => {
  const fees = at(body, "data.attributes.appFees")
  const points = (Array.isArray(fees) ? fees : []).reduce((total: number, fee) => total + Number(at(fee, "fee")), 0)
  return found >= least - (least * BigInt(Math.ceil(points))) / 10_000n
}

const creating: ReadonlyArray<Check> = [
  ...sent.map((name) =>
    check(`4.5.create.echo.${name}`, `A created order has the \`${name}\` that was sent`, async (world) => {
      const body = await Scenes.orderBody(world)
      const found = at((await Scenes.order(world)).body, `data.attributes.${name}`)
      const wanted: unknown = Reflect.get(body.data.attributes, name)
      if (name === "deadline") that(typeof found === "string", "it has none")
      else that(isEcho(name, wanted, found), `sent ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`)
      return undefined
    })
  ),
  check("4.5.create.short", "The eleven attributes of the interface are enough", async (world) => {
    await Scenes.shortOrder(world)
    return undefined
  }),
  check("4.5.create.inert", "A created order awaits its deposit and holds nothing", async (world) => {
    const { body } = await Scenes.order(world)
    same(at(body, "data.attributes.fillStatus"), "AWAITING_DEPOSIT", "fillStatus")
    same(at(body, "data.attributes.depositedAmount"), "0", "depositedAmount")
    same(at(body, "data.attributes.payoutStatus"), "NOT_STARTED", "payoutStatus")
    return undefined
  }),
  check("4.5.create.twice", "Creating is not idempotent: the same request makes two orders", async (world) => {
    const [first, second] = [await Scenes.createOrder(world), await Scenes.createOrder(world)]
    if (first.status >= 300) return cannotShow(`no order: ${first.status}`)
    that(Scenes.idOf(first) !== Scenes.idOf(second), "both have one id")
    return undefined
  }),
  check("2.3.view", "A SELL deposits the quantity and gets at least quantity × price", async (world) => {
    const { base, quote } = await world.assets()
    const { attributes } = (await Scenes.orderBody(world)).data
    const { body } = await Scenes.order(world)
    same(at(body, "data.attributes.swapView.amountIn"), attributes.quantity, "amountIn")
    const exact = BigInt(attributes.quantity) * BigInt(attributes.price) * 10n ** BigInt(quote.decimals)
    const unit = 10n ** BigInt(base.decimals)
    const least = exact % unit === 0n ? exact / unit : exact / unit + 1n
    const found = BigInt(String(at(body, "data.attributes.swapView.minAmountOut")))
    usual(found >= least || !isWithinFees(body, found, least), "what is missing is its fees")
    same(String(found), String(least), "minAmountOut")
    return undefined
  }),
  check("2.3.self", "`links.self` leads to the order", async (world) => {
    const created = await Scenes.order(world)
    const self = String(at(created.body, "data.links.self"))
    const path = self.startsWith("http") ? new URL(self).pathname : self
    same(at((await world.get(path)).body, "data.id"), Scenes.idOf(created), "id")
    return undefined
  }),
  check("4.5.get", "One order is read by its id", async (world) => {
    same(Scenes.idOf(await Scenes.readBack(world)), Scenes.idOf(await Scenes.order(world)), "id")
    return undefined
  }),
  check("4.5.cancel.any", "A cancel needs no body, and answers with the order", async (world) => {
    that(Scenes.idOf(await Scenes.cancelled(world)) !== "undefined", "there is no order in the answer")
    return undefined
  })
]

const ids = (answer: Answer): ReadonlyArray<string> => {
  const data = at(answer.body, "data")
  return Array.isArray(data) ? data.map((entry) => String(at(entry, "id"))) : []
}

const listing: ReadonlyArray<Check> = [
  check("4.5.list.newest", "The list is newest first", async (world) => {
    const data = at((await listed(world)).body, "data")
    const times = (Array.isArray(data) ? data : []).map((entry) =>
      Date.parse(String(at(entry, "attributes.createdAt")))
    )
    that(
      times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time)),
      "it is not"
    )
    return `${times.length} orders`
  }),
  ...["1", "2", "50"].map((size) =>
    check(`4.5.list.size.${size}`, `A page holds at most the ${size} that were asked for`, async (world) => {
      const answer = await Scenes.list(world, `?page[size]=${size}`)
      that(ids(answer).length <= Number(size), `it holds ${ids(answer).length}`)
      return undefined
    })
  ),
  ...["0", "51", "-1", "many"].map((size) =>
    check(`8.page-size.${size}`, `A page size of ${size} is refused: validation-failed`, async (world) => {
      const answer = await world.get(`/v0/orders?page[size]=${size}`)
      that(ids(answer).length <= 50, `${ids(answer).length} orders are on one page`)
      mayBeRefused(answer)
      same(answer.status, 400, "status")
      same(at(answer.body, "errors.0.code"), "validation-failed", "code")
      return undefined
    })
  ),
  check("4.5.list.cursor", "`meta.nextCursor` leads to the orders after the page, and repeats none", async (world) => {
    await Scenes.list(world)
    const first = await world.get("/v0/orders?page[size]=1")
    const cursor = at(first.body, "meta.nextCursor")
    if (typeof cursor !== "string") return cannotShow("there is one page only")
    const second = await world.get(`/v0/orders?page[size]=1&page[after]=${encodeURIComponent(cursor)}`)
    that(ids(second).length > 0 && ids(second)[0] !== ids(first)[0], "it does not")
    return undefined
  }),
  check("4.5.list.links", "`links.next` leads where the cursor leads", async (world) => {
    const first = await world.get("/v0/orders?page[size]=1")
    const next = at(first.body, "links.next")
    if (typeof next !== "string") return cannotShow("there is one page only")
    const path = next.startsWith("http") ? new URL(next).pathname + new URL(next).search : next
    that(ids(await world.get(path))[0] !== ids(first)[0], "it leads to the same page")
    return undefined
  }),
  check("4.5.list.nonsense", "A cursor that is none is refused", async (world) => {
    return mayBeRefused(await world.get("/v0/orders?page[after]=nonsense"))
  }),
  ...fillStatuses.map((status) =>
    check(`4.5.list.filter.${status}`, `The list can be filtered by ${status}`, async (world) => {
      const answer = await Scenes.list(world, `?filter[fillStatus]=${status}`)
      const data = at(answer.body, "data")
      const others = (Array.isArray(data) ? data : []).filter((entry) => at(entry, "attributes.fillStatus") !== status)
      that(others.length === 0, `${others.length} have another status`)
      return `${ids(answer).length} orders`
    })
  ),
  check("4.5.list.filter.several", "Several fill statuses may be asked for", async (world) => {
    const answer = await Scenes.list(world, "?filter[fillStatus]=AWAITING_DEPOSIT&filter[fillStatus]=OPEN")
    that(ids(answer).length > 0, "nothing is listed although an order awaits its deposit")
    return undefined
  }),
  check("4.5.list.filter.encoded", "The names of the filters may be percent-encoded", async (world) => {
    await Scenes.list(world, "?filter%5BfillStatus%5D=AWAITING_DEPOSIT")
    return undefined
  }),
  check("4.5.list.filter.unknown", "A fill status that there is not is refused", async (world) => {
    return mayBeRefused(await world.get("/v0/orders?filter[fillStatus]=NONE"))
  }),
  ...["true", "false"].map((isFinal) =>
    check(`4.5.list.final.${isFinal}`, `The list can be filtered by a final payout: ${isFinal}`, async (world) => {
      const answer = await Scenes.list(world, `?filter[isPayoutStatusFinal]=${isFinal}`)
      const data = at(answer.body, "data")
      const wrong = (Array.isArray(data) ? data : []).filter(
        (entry) => String(at(entry, "attributes.isPayoutStatusFinal")) !== isFinal
      )
      that(wrong.length === 0, `${wrong.length} say otherwise`)
      return `${ids(answer).length} orders`
    })
  )
]

const sum = (fills: unknown, side: string): bigint =>
  (Array.isArray(fills) ? fills : []).reduce((total: bigint, entry) => total + BigInt(String(at(entry, side))), 0n)

const last = (life: Scenes.Life): unknown => at(life.seen.at(-1)?.body, "data.attributes")

const lives: ReadonlyArray<Check> = [
  check("4.5.filled", "A funded order that is marketable fills at its limit or better", async (world) => {
    const life = await Scenes.filledOrder(world)
    const end = last(life)
    same(at(end, "fillStatus"), "FILLED", "fillStatus")
    const [spent, got] = [sum(at(end, "partialFills"), "amountIn"), sum(at(end, "partialFills"), "amountOut")]
    same(String(spent), at(end, "swapView.amountIn"), "sum of the fills")
    const least = BigInt(String(at(end, "swapView.minAmountOut")))
    usual(got >= least || !isWithinFees(life.seen.at(-1)?.body, got, least), "what is missing is its fees")
    that(got >= least, `${got} is less than minAmountOut`)
    return `${spent} for ${got}`
  }),
  check("3.3.paid", "A filled order is paid out, and says so", async (world) => {
    const end = last(await Scenes.filledOrder(world))
    usual(at(end, "payoutStatus") !== "FAILED", "the payout failed")
    same(at(end, "payoutStatus"), "COMPLETED", "payoutStatus")
    same(at(end, "isPayoutStatusFinal"), true, "isPayoutStatusFinal")
    const legs = [at(end, "payouts.withdrawal"), at(end, "payouts.allWithdrawals")].flat().filter(isRecord)
    that(legs.length > 0 && legs.every((leg) => leg["status"] === "COMPLETED"), JSON.stringify(at(end, "payouts")))
    return `${legs.length} legs`
  }),
  check("4.5.cancel", "A cancel is asynchronous; unspent input is refunded", async (world) => {
    const end = last(await Scenes.cancelledOrder(world))
    that(["CANCELED", "FILLED"].includes(String(at(end, "fillStatus"))), String(at(end, "fillStatus")))
    usual(at(end, "payouts.refund.status") !== "FAILED", "the refund failed")
    if (at(end, "fillStatus") === "CANCELED") same(at(end, "payouts.refund.status"), "COMPLETED", "refund")
    return String(at(end, "fillStatus"))
  }),
  check("3.2.terminal", "What is filled or cancelled stays so", async (world) => {
    const { first } = await Scenes.filledOrder(world)
    same(at((await Scenes.readOrder(world, Scenes.idOf(first))).body, "data.attributes.fillStatus"), "FILLED", "status")
    return undefined
  }),
  check("3.2.deadline", "An order ends at its deadline", async (world) => {
    same(at((await Scenes.expiredOrder(world)).body, "data.attributes.depositedAmount"), "0", "depositedAmount")
    return undefined
  }),
  check("2.3.fees", "The fees that were estimated are in the asset that they are taken from", async (world) => {
    const end = last(await Scenes.filledOrder(world))
    const fee = BigInt(String(at(end, "estimatedWithdrawFee")))
    that(fee < sum(at(end, "partialFills"), "amountOut"), `${fee} is more than the output`)
    return String(fee)
  }),
  check("2.3.deposited", "The deposit of a funded order is exactly what it asked for", async (world) => {
    const end = last(await Scenes.filledOrder(world))
    same(at(end, "depositedAmount"), at(end, "swapView.amountIn"), "depositedAmount")
    return undefined
  }),
  ...fillStatuses.map((status) =>
    check(`3.2.state.${status}`, `An order can be ${status}`, async (world) => {
      const scenes = [Scenes.order, Scenes.cancelled, Scenes.expiredOrder, Scenes.halfFilledOrder, lived("data")]
      await Promise.all(scenes.map((scene) => Promise.resolve(scene(world)).catch(() => undefined)))
      const seen = world.seen.flatMap(({ answer }) => {
        const data = at(answer.body, "data")
        return (Array.isArray(data) ? data : [data]).map((entry) => at(entry, "attributes.fillStatus"))
      })
      return seen.includes(status) ? undefined : cannotShow("it was not seen")
    })
  ),
  ...["NOT_STARTED", "IN_PROGRESS", "COMPLETED"].map((status) =>
    check(`3.3.state.${status}`, `A payout can be ${status}`, async (world) => {
      const seen = (await lived("data.attributes.payoutStatus")(world)).map(String)
      return seen.includes(status) ? undefined : cannotShow("it was not seen; it may pass too quickly")
    })
  ),
  check("3.3.state.FAILED", "A payout that the service gives up is FAILED, with a failed leg", async (world) => {
    await world.needSandbox()
    const created = await Scenes.createOrder(world)
    const address = at(created.body, "data.attributes.depositAddress")
    const told = await world.post("/sandbox/outcome", { depositAddress: address, outcome: "FAILED_REFUND" })
    if (told.status >= 300) return cannotShow(`this sandbox cannot be told outcomes: ${told.status}`)
    await Scenes.pay(world, String(address))
    const id = Scenes.idOf(created)
    await world.until(
      "the deposit",
      () => Scenes.readOrder(world, id),
      (answer) => at(answer.body, "data.attributes.fillStatus") !== "AWAITING_DEPOSIT"
    )
    await world.request("POST", `/v0/orders/${id}/cancel`)
    const end = await world.until(
      "the end of the payout",
      () => Scenes.readOrder(world, id),
      (answer) => at(answer.body, "data.attributes.isPayoutStatusFinal") === true
    )
    same(at(end.body, "data.attributes.payoutStatus"), "FAILED", "payoutStatus")
    same(at(end.body, "data.attributes.payouts.refund.status"), "FAILED", "refund")
    return undefined
  })
]

export const orderChecks: ReadonlyArray<Check> = [
  ...tables,
  ...creating,
  ...listing,
  ...lives,
  check("4.5.list.frame", "The list is {data, links, meta}", async (world) => {
    const { body } = await listed(world)
    that(isRecord(body) && Array.isArray(at(body, "data")), "there is no data")
    that(isRecord(at(body, "links")) && isRecord(at(body, "meta")), "links or meta is absent")
    return undefined
  })
]
