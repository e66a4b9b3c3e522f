/** Keeps shown proposals. Each can be carried out once, within five minutes. If its file has changed since, the hash does not match. */
import { Clock, Effect, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import { monotonicMillis } from "../../domain/Durations.ts"
import { type ControlClient, callOf } from "../api/ControlApi.ts"
import { type CommandName, commandOf } from "../api/OperatorCommands.ts"
import type { OrderChange, OrderRequest } from "../api/Order.ts"
import type { Proposal } from "./Tools.ts"

type Asked = typeof Proposal.Type
type Done = Effect.Effect<{ readonly message: string }, { readonly message: string }>

export type Ask = <A, E extends { readonly message: string }>(
  call: (api: ControlClient) => Effect.Effect<A, E>
) => Effect.Effect<A, { readonly message: string }>

export class NotProposed extends Schema.TaggedError<NotProposed>()("NotProposed", { message: Schema.String }) {}

const needsTarget = (action: string, needed = "a target") => new NotProposed({ message: `${action} needs ${needed}` })

const validMillis = 300_000
const maxWaiting = 20

const json = Schema.decodeUnknownEffect(Schema.Json)

const ordersBy = (operator: Ask) => {
  /** Places the size that was shown, also for `all`. */
  const placing = Effect.fnUntraced(function* (order: OrderRequest, key: string) {
    const send = (payload: OrderRequest) =>
      operator((api) => api.command.order({ payload, headers: { "idempotency-key": key } }))
    const plan = yield* send({ ...order, dry: true })
    const what = "The order is placed by hand, and the bot follows it to its end."
    return { what, plan, run: send({ ...order, amount: plan.amount, dry: false }) }
  })

  const moving = Effect.fnUntraced(function* (change: OrderChange) {
    const send = (dry: boolean) => operator((api) => api.command.orderChange({ payload: { ...change, dry } }))
    return { what: "The order is cancelled, then placed at the new price.", plan: yield* send(true), run: send(false) }
  })

  const cancelling = (order: string) => ({
    what: "The order is cancelled for good, and its money is refunded.",
    plan: { order },
    run: operator((api) => api.command.orderCancel({ payload: { order } }))
  })
  return { placing, moving, cancelling } as const
}

export const make = (operator: Ask) => {
  const orders = ordersBy(operator)
  const waiting = new Map<string, { readonly until: number; readonly run: Done }>()

  const prepared = (asked: Asked, key: string) => {
    const { action, order, price, target, text = "", why } = asked
    switch (action) {
      case "apply":
        return edited(target, text)
      case "order":
        return order === undefined ? needsTarget(action, "an order") : orders.placing(order, key)
      case "order-change":
        return target === undefined || price === undefined
          ? needsTarget(action, "a target and a price")
          : orders.moving({ order: target, price })
      case "order-cancel":
        return target === undefined ? needsTarget(action) : Effect.succeed(orders.cancelling(target))
      default:
        return commanded(action, target, why)
    }
  }

  const commanded = Effect.fnUntraced(function* (name: CommandName, target: string | undefined, why: string) {
    const { means, needs, shows } = commandOf(name)
    if (target === undefined && (needs === "strategy" || needs === "slot")) return yield* needsTarget(name)
    const run = operator(callOf(name, target, why))
    if (shows === "plan" || shows === undefined) {
      const plan = yield* operator((api) => api.look.plan())
      return { what: `${means} The plan shows the bot's next actions with it.`, plan, run }
    }
    const { orders } = yield* operator((api) => api.look.orders())
    const isMeant = (slot: string) =>
      needs === "nothing" || target === undefined || slot === target || slot.startsWith(`${target}/`)
    return { what: means, plan: { [shows]: orders.filter(({ slot }) => isMeant(slot)) }, run }
  })

  const edited = Effect.fnUntraced(function* (target: string | undefined, text: string) {
    if (target === undefined) return yield* needsTarget("apply")
    const present = (yield* operator((api) => api.look.files())).find(({ file }) => file === target)
    if (present === undefined) {
      return yield* new NotProposed({ message: `${target} is not a strategy file of this bot; see \`files\`` })
    }
    const file = { file: target, text }
    const { problems } = yield* operator((api) => api.command.check({ payload: { files: [file] } }))
    if (problems.length > 0) return yield* new NotProposed({ message: problems.join("\n") })
    return {
      what: `${target} is written and applied at once; the plan shows the bot's next actions with it.`,
      plan: yield* operator((api) => api.command.planWith({ payload: { files: [file] } })),
      run: operator((api) => api.command.apply({ payload: { ...file, hash: present.hash } }))
    }
  })

  const propose = Effect.fn("Proposals.propose")(function* (asked: Asked) {
    const proposal = Buffer.from(randomBytesUnsafe(9)).toString("base64url")
    const { plan, run, what } = yield* prepared(asked, proposal)
    const [now, validUntil] = [yield* monotonicMillis, (yield* Clock.currentTimeMillis) + validMillis]
    for (const [id, { until }] of waiting) if (until < now) waiting.delete(id)
    const [oldest] = waiting.keys()
    if (waiting.size >= maxWaiting && oldest !== undefined) waiting.delete(oldest)
    waiting.set(proposal, { until: now + validMillis, run })
    return yield* Effect.orDie(json({ proposal, validUntil, action: asked.action, what, plan }))
  })

  const carryOut = Effect.fn("Proposals.carryOut")(function* (proposal: string) {
    const pendingProposal = waiting.get(proposal)
    waiting.delete(proposal)
    if (pendingProposal === undefined || pendingProposal.until < (yield* monotonicMillis)) {
      const message = "This proposal is not open (expired, carried out or never made): propose it again, and show it"
      return yield* new NotProposed({ message })
    }
    const { message } = yield* pendingProposal.run
    return { message }
  })
  return { propose, carryOut }
}
