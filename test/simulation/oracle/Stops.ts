/**
 * I6 and I18: whatever stops money holds from its record on. Nothing is created, signed or asked of a wallet for it, and no bytes
 * leave, for the first time or again. A request that has left is gone, and what was decided in the same moment as the record is
 * held against nobody.
 */
import type { BotEvent, Of } from "../../../src/domain/BotEvent.ts"
import { isTerminal } from "../../../src/domain/Order.ts"
import type { Court } from "./Judge.ts"

type About = Pick<Of<"Planned">, "placement" | "slot" | "strategy">

const ofBot = "the bot"
const ofStrategy = ({ strategy }: Pick<About, "strategy">) => `strategy ${strategy}`
const ofSlot = ({ slot, strategy }: Pick<About, "slot" | "strategy">) => `slot ${strategy}/${slot}`
const ofPlacement = ({ placement }: Pick<About, "placement">) => `placement ${placement}`

interface Change {
  readonly subject: string
  readonly why: string
  readonly isOver: boolean
}

/** What an event stops, or lets go on. */
const changeOf = (event: BotEvent): Change | undefined => {
  const change = (subject: string, why: string, isOver = false): Change => ({ subject, why, isOver })
  switch (event._tag) {
    case "KillSwitch":
      return change(ofBot, "the kill switch", !event.on)
    case "LeaseLost":
    case "LeaseRegained":
      return change(ofBot, "the lost lease", event._tag === "LeaseRegained")
    case "DiskFull":
    case "DiskFreed":
      return change(ofBot, "the full disk", event._tag === "DiskFreed")
    case "Paused":
    case "Resumed":
      return change(ofStrategy(event), "its pause", event._tag === "Resumed")
    case "StrategyRemoved":
    case "StrategyLoaded":
      return change(ofStrategy(event), "its removal", event._tag === "StrategyLoaded")
    case "CancelRequested":
      return change(ofPlacement(event), "its cancel")
    case "StatusSeen":
      return isTerminal(event.status) || event.status === "PENDING_CANCEL"
        ? change(ofPlacement(event), "the end of its order")
        : undefined
    case "Contradiction":
    case "Resolved":
      return change(ofSlot(event), "a contradiction", event._tag === "Resolved")
    default:
      return undefined
  }
}

export const make = ({ now, violated }: Court) => {
  /** By bot and subject: since when each reason holds. */
  const stops = new Map<string, Map<string, number>>()
  const of = (bot: string, subject: string) => {
    const key = `${bot} ${subject}`
    const known = stops.get(key) ?? new Map<string, number>()
    stops.set(key, known)
    return known
  }

  const check = (bot: string, about: About, what: string, at = now()): void => {
    for (const subject of [ofBot, ofStrategy(about), ofSlot(about), ofPlacement(about)]) {
      for (const [why, since] of of(bot, subject)) {
        const invariant = subject === ofBot ? "I18" : "I6"
        if (at > since) violated(invariant, `${about.placement} ${what} ${at - since} ms after ${why} was recorded`)
      }
    }
  }

  /** By bot: what the last record says was created. Where the next one binds an order of the list, it was found and not made. */
  const creates = new Map<string, About & { readonly at: number }>()
  const judgeCreate = (bot: string, next: BotEvent): void => {
    const create = creates.get(bot)
    creates.delete(bot)
    if (create === undefined) return
    const isFound = next._tag === "Bound" && next.via === "list" && next.placement === create.placement
    if (!isFound) check(bot, create, "was created", create.at)
  }

  /** By bot: all that was stopped and let go, with its time. */
  const history = new Map<string, Array<{ readonly event: BotEvent; readonly at: number }>>()
  const change = (bot: string, event: BotEvent, at: number): void => {
    // A new process has its own lease.
    if (event._tag === "BotStarted") of(bot, ofBot).delete("the lost lease")
    const changed = changeOf(event)
    if (changed === undefined) return
    const known = of(bot, changed.subject)
    if (changed.isOver) known.delete(changed.why)
    else if (!known.has(changed.why)) known.set(changed.why, at)
  }

  return {
    /** Bytes of this placement leave. */
    left: (bot: string, about: About): void => check(bot, about, "was paid"),
    recorded: (bot: string, event: BotEvent): void => {
      judgeCreate(bot, event)
      const known = history.get(bot) ?? []
      history.set(bot, known)
      known.push({ event, at: now() })
      change(bot, event, now())
      if (event._tag === "CreateSent") creates.set(bot, { ...event, at: now() })
      if (event._tag === "FundingSigned") check(bot, event, "was signed")
      if (event._tag === "PaymentAsked" || event._tag === "PaymentAskedAgain")
        check(bot, event, "was asked of a wallet")
    },
    /** The disk lost these: what they said was never said. */
    lost: (bot: string, count: number): void => {
      for (const key of [...stops.keys()]) if (key.startsWith(`${bot} `)) stops.delete(key)
      const known = history.get(bot) ?? []
      known.splice(known.length - count)
      for (const { at, event } of known) change(bot, event, at)
    }
  }
}
