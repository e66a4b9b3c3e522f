/** Buys below the mid and sells above it again while somebody's forecast is up, and rests while it is not, or while nobody sends one. */
import type { Own } from "limitbot/strategy"

const keys = {
  above: { is: "number", otherwise: 0.5, says: "it trades while the signal trend is above this" },
  fresh: { is: "duration", otherwise: "2h", says: "how old the signal may be" },
  away: { is: "ratio", otherwise: "0.5%", says: "from the mid to its orders" },
  size: { is: "size", says: "of each purchase" }
} as const

const middleIn = (memory: unknown): number | undefined => (typeof memory === "number" ? memory : undefined)

export default {
  about: "trades while a forecast is up",
  keys,
  signals: ({ fresh }) => ({ trend: fresh }),
  decide: (view, { above, away, size }, memory) => {
    const trend = view.signal("trend")
    if (trend === undefined || trend.value <= above) {
      const why = trend === undefined ? "nobody sent a fresh trend" : `the trend is ${trend.value}`
      return { orders: [], waiting: [{ slot: "dip", why }], memory: null, until: { fill: false } }
    }
    const last = middleIn(memory)
    const middle = last !== undefined && Math.abs(view.mid - last) < (last * away) / 2 ? last : view.mid
    const legs = [
      { side: "buy", price: middle * (1 - away), size },
      { side: "sell", price: middle * (1 + away) }
    ] as const
    return {
      orders: [{ slot: "dip", legs, cycle: true, why: `the trend is ${trend.value}` }],
      memory: middle,
      until: { below: middle * (1 - away / 2), above: middle * (1 + away / 2), fill: false }
    }
  }
} satisfies Own<typeof keys>
