/**
 * What an operator does at the worst moment: pauses a strategy just after something of one of its orders was recorded, and
 * resumes it a little later; turns the kill switch between the leaving of a signed payload and its answer.
 */
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as OperatorPause from "../../src/engine/holds/OperatorPause.ts"
import type { Departure } from "../../src/rehearsal/world/Network.ts"
import * as Seeded from "../../src/sandbox/Seeded.ts"
import type { SimulatedBot } from "../world/bot/SimulatedBot.ts"
import type { Plan } from "./Plan.ts"

export interface Scene {
  readonly plan: Pick<Plan, "has" | "seed">
  readonly now: () => number
  /** Nothing goes wrong any more. */
  readonly isCalm: () => boolean
  readonly note: (what: string) => void
}

interface Pause {
  readonly bot: string
  readonly strategy: string
  endsAt: number
  isAsked: boolean
}

const second = 1_000

export const make = ({ isCalm, note, now, plan: { has, seed } }: Scene) => {
  const pauses = new Map<string, Pause>()
  let killEndsAt = Number.POSITIVE_INFINITY
  const dice = (...keys: ReadonlyArray<string | number>) => Seeded.fraction(seed, ...keys)

  return {
    /** Something of an order was written down: the strategy may be paused right then. */
    recorded: (bot: string, event: BotEvent): void => {
      if (!has.has("pauses") || isCalm() || !("placement" in event)) return
      const { _tag, placement, strategy } = event
      const key = `${bot} ${strategy}`
      if (pauses.has(key) || dice("pause", bot, placement, _tag, now()) > 0.06) return
      note("paused by hand")
      pauses.set(key, {
        bot,
        strategy,
        endsAt: now() + second + dice("resume", key, now()) * 15 * second,
        isAsked: false
      })
    },
    /** Whether the switch is turned now, with the answer to this request still to come. */
    departed: ({ method, path }: Departure): boolean => {
      const isSent = method === "POST" && path === "/v0/submit-intent"
      if (!has.has("killsMidway") || isCalm() || !isSent || dice("kill", now()) > 0.4) return false
      note("killed between send and answer")
      killEndsAt = now() + second + dice("release", now()) * 20 * second
      return true
    },
    /** Whether the switch that was turned midway is released now. */
    releases: (): boolean => {
      if (now() < killEndsAt) return false
      killEndsAt = Number.POSITIVE_INFINITY
      return true
    },
    /** What is due in this process. */
    act: (name: string, { domain, inside }: SimulatedBot): void => {
      const bot = inside()
      if (bot === undefined) return
      for (const [key, pause] of pauses) {
        const { endsAt, isAsked, strategy } = pause
        if (pause.bot !== name || (isAsked && now() < endsAt)) continue
        pause.isAsked = true
        if (!isAsked) domain.fork(bot.recordFrom((state) => OperatorPause.pause(state, strategy, "pause", "simulated")))
        else if (bot.state.strategies.get(strategy)?.paused === undefined) pauses.delete(key)
        else {
          // A process that ends, or a full disk, may lose the word: it is said again.
          pause.endsAt = now() + second
          domain.fork(bot.recordFrom((state) => OperatorPause.resume(state, strategy, "simulated")))
        }
      }
    }
  }
}
