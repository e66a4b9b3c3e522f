/**
 * What an operator was shown and may now carry out: each proposal once, for five minutes, and only as it was shown.
 * If a file has changed since, its hash refuses the proposal.
 */
import { Clock, Effect, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import type { HttpApiClient } from "effect/http-api"
import type { ControlApi } from "../../../control/api/ControlApi.ts"
import type { Proposal } from "./tools.ts"

type Asked = typeof Proposal.Type
export type Api = HttpApiClient.ForApi<typeof ControlApi>
type Done = Effect.Effect<{ readonly message: string }, { readonly message: string }>

/** Asks the running bot with the operator's token. */
export type AsOperator = <A, E extends { readonly message: string }>(
  call: (api: Api) => Effect.Effect<A, E>
) => Effect.Effect<A, { readonly message: string }>

export class NotProposed extends Schema.TaggedError<NotProposed>()("NotProposed", { message: Schema.String }) {}

const validMillis = 300_000
const mostWaiting = 20

const json = Schema.decodeUnknownEffect(Schema.Json)

export const make = (operator: AsOperator) => {
  const waiting = new Map<string, { readonly until: number; readonly run: Done }>()

  /** What would be done, and what that means for existing orders. */
  const prepared = Effect.fnUntraced(function* ({ action, target, text = "", why }: Asked) {
    const named = target === undefined ? {} : { strategy: target }
    const needed = target ?? ""
    const orders = yield* operator((api) => api.look.orders())
    const affected = (isMeant: (slot: string) => boolean) => orders.orders.filter(({ slot }) => isMeant(slot))
    const ofStrategy = (slot: string) => target === undefined || slot.startsWith(`${target}/`)
    const rest = "What rests stays, and its money is looked after."
    if (target === undefined && (action === "drain" || action === "cancel" || action === "apply")) {
      return yield* new NotProposed({ message: `${action} needs a target` })
    }
    switch (action) {
      case "pause":
        return {
          what: `Nothing new is placed. ${rest}`,
          plan: { staying: affected(ofStrategy) },
          run: operator((api) => api.command.pause({ payload: { ...named, why } }))
        }
      case "resume":
        return {
          what: "Orders are placed again; the plan is what would be placed now.",
          plan: yield* operator((api) => api.look.plan()),
          run: operator((api) => api.command.resume({ payload: { ...named, why } }))
        }
      case "drain":
        return {
          what: "The strategy is paused and these orders are withdrawn; their money comes back.",
          plan: { withdrawn: affected(ofStrategy) },
          run: operator((api) => api.command.drain({ payload: { strategy: needed, why } }))
        }
      case "cancel":
        return {
          what: "This order is withdrawn; the slot is placed anew if its strategy still wants it.",
          plan: { withdrawn: affected((slot) => slot === target) },
          run: operator((api) => api.command.cancel({ payload: { slot: needed, why } }))
        }
      case "cancel-all":
        return {
          what: "Every strategy is paused and every order withdrawn.",
          plan: { withdrawn: affected(() => true) },
          run: operator((api) => api.command.cancelAll({ payload: { confirm: "cancel all", why } }))
        }
      case "kill":
        return {
          what: "Nothing more is signed and every order is withdrawn, also after a restart, until it is released.",
          plan: { withdrawn: affected(() => true) },
          run: operator((api) => api.command.kill({ payload: { confirm: "kill", why } }))
        }
      case "release":
        return {
          what: "The kill switch is off: the bot trades again. The plan is what it would do now.",
          plan: yield* operator((api) => api.look.plan()),
          run: operator((api) => api.command.release({ payload: {} }))
        }
      case "apply": {
        const present = (yield* operator((api) => api.look.files())).find(({ file }) => file === target)
        if (present === undefined) {
          return yield* new NotProposed({ message: `${needed} is not a strategy file of this bot; see \`files\`` })
        }
        const edited = { file: needed, text }
        const { problems } = yield* operator((api) => api.command.check({ payload: { files: [edited] } }))
        if (problems.length > 0) return yield* new NotProposed({ message: problems.join("\n") })
        return {
          what: `${needed} is written and taken up at once; the plan is what the bot would do with it.`,
          plan: yield* operator((api) => api.command.planWith({ payload: { files: [edited] } })),
          run: operator((api) => api.command.apply({ payload: { ...edited, hash: present.hash } }))
        }
      }
    }
  })

  const propose = Effect.fn("Proposals.propose")(function* (asked: Asked) {
    const { plan, run, what } = yield* prepared(asked)
    const now = yield* Clock.currentTimeMillis
    for (const [id, { until }] of waiting) if (until < now) waiting.delete(id)
    const [oldest] = waiting.keys()
    if (waiting.size >= mostWaiting && oldest !== undefined) waiting.delete(oldest)
    const proposal = Buffer.from(randomBytesUnsafe(9)).toString("base64url")
    waiting.set(proposal, { until: now + validMillis, run })
    return yield* Effect.orDie(json({ proposal, validUntil: now + validMillis, action: asked.action, what, plan }))
  })

  const carryOut = Effect.fn("Proposals.carryOut")(function* (proposal: string) {
    const found = waiting.get(proposal)
    waiting.delete(proposal)
    if (found === undefined || found.until < (yield* Clock.currentTimeMillis)) {
      return yield* new NotProposed({ message: "There is no such proposal any more: propose it again, and show it" })
    }
    const { message } = yield* found.run
    return { message }
  })
  return { propose, carryOut }
}
