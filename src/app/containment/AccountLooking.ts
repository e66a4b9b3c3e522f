/**
 * Lists the processes that may still start something in an account of a fleet, and the venue's open orders. The kill switch is in the
 * account's row and holds for any owner; a running owner counts as killed when its journal says so. Only the owner can ask the venue, so
 * that is a command to it.
 */
import { Clock, Effect, Schema } from "effect"
import { theOperator } from "../../control/Operator.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { AccountWord, isLook, NotHeard } from "../cluster/AccountWord.ts"
import * as AccountWords from "../journal/AccountWords.ts"
import { type AccountOfFleet, inRegistry } from "../journal/WhichBot.ts"
import type { LookedAt, Loose } from "./Containment.ts"
import * as VenueOrders from "./VenueOrders.ts"

const now = Clock.currentTimeMillis

export const actors = Effect.fn("AccountLooking.actors")(function* (
  bot: AccountOfFleet,
  { killed }: Pick<BotState, "killed">
) {
  const { isOwned, owner, told, wanted } = yield* inRegistry(bot, (registry) => registry.one(bot.account))
  const isRun = isOwned && (told === undefined || told.failing === null)
  const who = isRun ? owner : "a runner that takes it"
  const switchEntries =
    wanted !== "killed"
      ? [{ id: "kill switch", text: `off: ${who} creates and pays` }]
      : isRun && killed === undefined
        ? [{ id: "kill switch", text: `on, but ${who} has not obeyed it yet` }]
        : []
  const at = "its row and its journal; anyone with a token of the fleet's page, or its database, can release it"
  const mayBegin: LookedAt = { name: "May begin anew", at, lookedAt: yield* now, found: switchEntries }
  return [mayBegin, yield* waiting(bot)]
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(AccountWord))

const waiting = Effect.fnUntraced(function* (bot: AccountOfFleet) {
  const words = yield* inRegistry(bot, (registry) => registry.waitingFor(bot.account))
  const pendingCommands = words.flatMap(({ by, word }): ReadonlyArray<Loose> => {
    const command = decode(word)
    return command._tag === "Some" && isLook(command.value) ? [] : [{ id: by, text: `sent, not done yet: ${word}` }]
  })
  const at = "the table limitbot_messages"
  return { name: "Words that wait for its owner", at, lookedAt: yield* now, found: pendingCommands } satisfies LookedAt
})

export const ofVenue = Effect.fn("AccountLooking.ofVenue")(function* (bot: AccountOfFleet) {
  const answer = yield* AccountWords.say(bot, theOperator, { _tag: "ListOrders" })
  if (answer._tag !== "Listed")
    return yield* new NotHeard({
      message: `Its owner answered ${answer._tag} instead of its orders`
    })
  const { at, found } = answer
  return { name: VenueOrders.name, at, lookedAt: yield* now, found } satisfies LookedAt
})
