/** What orders may ask for, the smallest of them, and money that moves between the accounts of one key. */
import { isRefused, mustBeRefused, mustSayWhy } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, same, that } from "../Seen.ts"
import type { Answer, Fields, World } from "../World.ts"
import type { FactRow } from "./FactRow.ts"

const every = ["public", "basic", "advanced"]

const confidentialities: ReadonlyArray<FactRow> = every.flatMap(
  (word): ReadonlyArray<FactRow> => [
    {
      fact: "orders.confidentialities",
      name: `taken-${word}`,
      sentence: `An order may be ${word}`,
      applies: ({ orders }) => orders.confidentialities.includes(word),
      look: async (world) => {
        const answer = await Scenes.createOrder(world, { confidentiality: word })
        that(answer.status < 300, `it is answered ${answer.status} ${answer.text.slice(0, 200)}`)
        same(at(answer.body, "data.attributes.confidentiality"), word, "confidentiality")
        return undefined
      }
    },
    {
      fact: "orders.confidentialities",
      name: `refused-${word}`,
      sentence: `An order that is ${word} is refused with 400 validation-failed, in the form of the order endpoints`,
      applies: ({ orders }) => !orders.confidentialities.includes(word),
      look: async (world) => {
        const answer = await Scenes.createOrder(world, { confidentiality: word })
        same(answer.status, 400, "status")
        same(at(answer.body, "errors.0.code"), "validation-failed", "code")
        same(at(answer.body, "errors.0.status"), "400", "errors.0.status")
        that(typeof at(answer.body, "errors.0.title") === "string", "it has no title")
        that(typeof at(answer.body, "meta.correlationId") === "string", "there is no meta.correlationId")
        const pointer = at(answer.body, "errors.0.source.pointer")
        if (pointer !== undefined) same(pointer, "/data/attributes/confidentiality", "pointer")
        return pointer === undefined ? "without a pointer" : String(pointer)
      }
    }
  ]
)

const minimum: FactRow = {
  fact: "orders.tooSmall",
  name: "refused",
  sentence: "An order below the minimum is refused with this code",
  look: async (world) => {
    const answer = await Scenes.createOrder(world, { quantity: "1" })
    if (answer.status < 300) return cannotShow("the service takes an order of one smallest unit")
    const code = at(answer.body, "errors.0.code")
    if (code === "validation-failed") return cannotShow("one smallest unit is no valid quantity there")
    same(code, world.facts.orders.tooSmall, "code")
    return String(at(answer.body, "errors.0.detail") ?? "")
  }
}

const kinds = ["INTENTS", "CONFIDENTIAL_INTENTS"] as const
type AccountKind = (typeof kinds)[number]

const move = async (world: World, [from, to]: readonly [AccountKind, AccountKind], dry: boolean): Promise<Answer> => {
  const { base } = await world.assets()
  const changes: Fields = {
    dry,
    destinationAsset: base.id,
    depositType: from,
    refundType: from,
    recipientType: to,
    confidentiality: "basic"
  }
  return Scenes.quote(world, changes)
}

const moves: ReadonlyArray<readonly [name: string, way: readonly [AccountKind, AccountKind]]> = [
  ["shield", ["INTENTS", "CONFIDENTIAL_INTENTS"]],
  ["unshield", ["CONFIDENTIAL_INTENTS", "INTENTS"]]
]

const moveRows = moves.flatMap(
  ([name, way]): ReadonlyArray<FactRow> => [
    {
      fact: "movesBetweenAccounts",
      name: `${name}-quoted`,
      sentence: `An asset can be swapped into itself, from ${way.join(" to ")}`,
      applies: ({ movesBetweenAccounts }) => movesBetweenAccounts,
      look: async (world) => {
        const answer = await move(world, way, true)
        that(answer.status < 300, `it is answered ${answer.status} ${answer.text.slice(0, 200)}`)
        const [paid, got] = ["amountIn", "amountOut"].map((field) => BigInt(String(at(answer.body, `quote.${field}`))))
        that((got ?? 0n) <= (paid ?? 0n) && (got ?? 0n) > 0n, `${paid} becomes ${got}`)
        return `${paid} becomes ${got}`
      }
    },
    {
      fact: "movesBetweenAccounts",
      name: `${name}-paid`,
      sentence: `Money that is moved from ${way.join(" to ")} arrives, less its fee`,
      applies: ({ movesBetweenAccounts }) => movesBetweenAccounts,
      look: async (world) => {
        await world.needMoney()
        const answer = await move(world, way, false)
        that(answer.status < 300, `no quote: ${answer.status} ${answer.text.slice(0, 200)}`)
        const paid = await Scenes.pay(world, String(at(answer.body, "quote.depositAddress")))
        if (isRefused(paid.answer)) return cannotShow(`it cannot be paid: ${mustSayWhy(paid.answer)}`)
        const end = await world.until(
          "the end of a move",
          () => Scenes.statusOf(world, answer),
          ({ body }) => ["SUCCESS", "REFUNDED", "FAILED"].includes(String(at(body, "status")))
        )
        if (at(end.body, "status") !== "SUCCESS") return cannotShow(`it ended ${at(end.body, "status")}`)
        const out = at(end.body, "swapDetails.amountOut")
        if (typeof out !== "string") return cannotShow("it does not say amountOut")
        that(BigInt(out) >= BigInt(String(at(answer.body, "quote.minAmountOut"))), `${out} is less than minAmountOut`)
        return out
      }
    },
    {
      fact: "movesBetweenAccounts",
      name: `${name}-none`,
      sentence: `An asset is not swapped into itself, from ${way.join(" to ")}`,
      applies: ({ movesBetweenAccounts }) => !movesBetweenAccounts,
      look: async (world) => mustBeRefused(await move(world, way, true))
    }
  ]
)

export const orderRows: ReadonlyArray<FactRow> = [...confidentialities, minimum, ...moveRows]
