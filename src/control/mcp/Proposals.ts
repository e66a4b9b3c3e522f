/**
 * Proposals that were shown to an operator and may now be carried out: each once, within five minutes, and only as it was shown. If its
 * file has changed since, the hash does not match and the proposal is refused.
 */
import { Clock, Effect, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import { type ControlClient, callOf } from "../api/OperatorCalls.ts"
import { type CommandName, commandOf } from "../api/OperatorCommands.ts"
import type { Proposal } from "./Tools.ts"

type Asked = typeof Proposal.Type
type Done = Effect.Effect<{ readonly message: string }, { readonly message: string }>

export type Ask = <A, E extends { readonly message: string }>(
  call: (api: ControlClient) => Effect.Effect<A, E>
) => Effect.Effect<A, { readonly message: string }>

export class NotProposed extends Schema.TaggedError<NotProposed>()("NotProposed", { message: Schema.String }) {}

const needsTarget = (action: string) => new NotProposed({ message: `${action} needs a target` })

const validMillis = 300_000
const maxWaiting = 20

const json = Schema.decodeUnknownEffect(Schema.Json)

export const make = (operator: Ask) => {
  const waiting = new Map<string, { readonly until: number; readonly run: Done }>()

  const prepared = ({ action, target, text = "", why }: Asked) =>
    action === "apply" ? edited(target, text) : commanded(action, target, why)

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
    const { plan, run, what } = yield* prepared(asked)
    const now = yield* Clock.currentTimeMillis
    for (const [id, { until }] of waiting) if (until < now) waiting.delete(id)
    const [oldest] = waiting.keys()
    if (waiting.size >= maxWaiting && oldest !== undefined) waiting.delete(oldest)
    const proposal = Buffer.from(randomBytesUnsafe(9)).toString("base64url")
    waiting.set(proposal, { until: now + validMillis, run })
    return yield* Effect.orDie(json({ proposal, validUntil: now + validMillis, action: asked.action, what, plan }))
  })

  const carryOut = Effect.fn("Proposals.carryOut")(function* (proposal: string) {
    const pendingProposal = waiting.get(proposal)
    waiting.delete(proposal)
    if (pendingProposal === undefined || pendingProposal.until < (yield* Clock.currentTimeMillis)) {
      return yield* new NotProposed({ message: "This proposal has expired: propose it again, and show it" })
    }
    const { message } = yield* pendingProposal.run
    return { message }
  })
  return { propose, carryOut }
}
