/** Quotes around the mid in some hours of the day, in UTC, and rests in the others. The quotes move when the mid has moved by `requote`. */
import type { Own } from "limitbot/strategy"

const keys = {
  from: { is: "integer", least: 0, most: 23, says: "the hour in which it begins" },
  to: { is: "integer", least: 0, most: 23, says: "the hour in which it ends" },
  spread: { is: "ratio", otherwise: "1.5%", says: "from its bid to its ask" },
  requote: { is: "ratio", otherwise: "0.2%", says: "the quotes follow a move of this much" },
  size: { is: "size", says: "of either quote" }
} as const

const hourMillis = 3_600_000

const middleIn = (memory: unknown): number | undefined => (typeof memory === "number" ? memory : undefined)

export default {
  about: "quotes in some hours of the day",
  keys,
  decide: (view, { from, to, spread, requote, size }, memory) => {
    const hour = Math.floor(view.now / hourMillis) % 24
    const time = (Math.floor(view.now / hourMillis) + 1) * hourMillis
    const isOpen = from <= to ? hour >= from && hour < to : hour >= from || hour < to
    if (!isOpen) {
      const why = `it is ${hour}:00 UTC, and it quotes from ${from}:00 to ${to}:00`
      return { orders: [], waiting: [{ slot: "bid", why }, { slot: "ask", why }], memory: null, until: { time, fill: false } }
    }
    const last = middleIn(memory)
    const middle = last !== undefined && Math.abs(view.mid - last) < last * requote ? last : view.mid
    const quote = (side: "buy" | "sell", price: number) => ({
      slot: side === "buy" ? "bid" : "ask",
      legs: [{ side, price, size }] as const,
      cycle: true,
      why: `half of ${(spread * 100).toFixed(2)}% from ${middle.toFixed(2)}`
    })
    return {
      orders: [quote("buy", middle * (1 - spread / 2)), quote("sell", middle * (1 + spread / 2))],
      memory: middle,
      until: { time, below: middle * (1 - requote), above: middle * (1 + requote), fill: false }
    }
  }
} satisfies Own<typeof keys>
