/**
 * I18: under kill each own live order has a cancel within a second of the venue being able to take it. When that is, is known
 * exactly: a bot is compared with somebody who from the switch on asks for nothing but cancels, each as soon as the venue takes one
 * more request. A bot may be a second behind, and with a venue that takes everything a second is all it has. Repetitions and
 * cancels of spare orders do not count. An order whose end the venue invented counts from the time at which the bot takes the end back.
 */
import type { Court } from "./Judge.ts"

/** Takes one more request at that time, if the venue would have. */
export type Places = (at: number) => boolean

export interface LiveOrder {
  readonly id: string
  readonly placement: string
  readonly takenBackAt?: number
}

interface Withdrawal {
  readonly since: number
  readonly takes: Places
  /** How many the other one had cancelled, so long ago as a bot may be behind. */
  cancelled: number
  readonly asked: Set<string>
}

interface Surroundings {
  readonly withinMillis: number
  /** The venue's limit as it is now, for requests that nobody makes. */
  readonly places: (bot: string) => Places
  /** What the venue holds open, was created before that time, and is not settled in the bot's books. */
  readonly live: (bot: string, before: number) => ReadonlyArray<LiveOrder>
}

export const make = ({ now, violated }: Court, { live, places, withinMillis }: Surroundings) => {
  const withdrawals = new Map<string, Withdrawal>()
  const ever = new Set<string>()

  return {
    /** The operator's switch, as soon as nothing is in its way any more; `undefined` while it is off or something is. */
    withdrawing: (bot: string, since: number | undefined): void => {
      if (since === undefined || now() < since) withdrawals.delete(bot)
      else if (withdrawals.get(bot)?.since !== since)
        withdrawals.set(bot, { since, takes: places(bot), cancelled: 0, asked: new Set() })
    },
    departed: (bot: string, orderId: string): void => {
      ever.add(orderId)
      withdrawals.get(bot)?.asked.add(orderId)
    },
    check: (): void => {
      const at = now() - withinMillis
      for (const [bot, withdrawal] of withdrawals) {
        const { asked, since, takes } = withdrawal
        if (at <= since) continue
        const waiting = live(bot, since).find(({ id, takenBackAt = 0 }) => takenBackAt <= at && !ever.has(id))
        if (waiting === undefined) continue
        while (withdrawal.cancelled <= asked.size && takes(at)) withdrawal.cancelled += 1
        if (withdrawal.cancelled <= asked.size) continue
        const who = `${bot}: ${waiting.placement} has no cancel ${now() - since} ms after kill`
        violated("I18", `${who}, and the venue took more than ${asked.size} until ${withinMillis} ms ago`)
      }
    }
  }
}
