/**
 * The running bot beside 10, 1,000 and 10,000 orders that rest: what placing them and a quiet minute ask of venue and
 * processor, and how much the bot works from the last answer with a price until a quote is withdrawn because of it, and until one
 * is created. And what the life of one order takes of journal and venue. The bot alone: what the sandbox does is left out.
 */
import { join } from "node:path"
import type { HttpClientRequest } from "effect/http"
import * as BotWorld from "../test/world/bot/measuredBot.ts"
import { type Budget, type Done, quantile, says, type Way } from "./measure.ts"
import type { Bench } from "./sections.ts"

const isPrice = ({ method, url }: HttpClientRequest.HttpClientRequest): boolean =>
  method === "POST" && url.endsWith("/v0/quote")

type Change = "cancel" | "create"

const changeOf = ({ method, url }: HttpClientRequest.HttpClientRequest): Change | undefined => {
  if (method !== "POST") return undefined
  if (url.endsWith("/v0/orders")) return "create"
  return url.endsWith("/cancel") ? "cancel" : undefined
}

interface Beside {
  /** Milliseconds of each reaction. */
  readonly reactions: Readonly<Record<Change, ReadonlyArray<number>>>
  readonly perOrder: { readonly requests: number; readonly processor: number }
  readonly perMinute: { readonly requests: number; readonly processor: number }
}

const minutes = 10

const beside = async (orders: number, journal: string): Promise<Beside> => {
  let processor = () => 0
  let pricedAt = 0
  const waiting = new Set<Change>()
  const reactions: Record<Change, Array<number>> = { cancel: [], create: [] }
  const watch: BotWorld.Watch = {
    answered: (request) => {
      if (!isPrice(request)) return
      pricedAt = processor()
      waiting.add("cancel").add("create")
    },
    sent: (request) => {
      const change = changeOf(request)
      // Only the first one after each price.
      if (change !== undefined && waiting.delete(change)) reactions[change].push(processor() - pricedAt)
    }
  }
  const world = await BotWorld.make([...BotWorld.resting(orders), BotWorld.quotes], { watch, journal, isTimed: true })
  processor = world.processor
  const placing = world.drive(() => world.count("open") >= orders)
  world.wait(60_000)
  reactions.cancel.length = 0
  reactions.create.length = 0
  const quiet = world.wait(minutes * 60_000)
  await world.end()
  return {
    reactions,
    perOrder: { requests: placing.requests / orders, processor: placing.processor / orders },
    perMinute: { requests: quiet.requests / minutes, processor: quiet.processor / minutes }
  }
}

const saying = (name: string, measured: number): Way => ({ name, run: (): Done => ({ result: "", measured }) })

const sizes: ReadonlyArray<readonly [orders: number, p50: Budget, p99: Budget, share: Budget]> = [
  [10, { atMost: 2 }, { atMost: 12 }, { atMost: 0.3 }],
  [1_000, { atMost: 8, goal: 2 }, { atMost: 40, goal: 10 }, { atMost: 1 }],
  [10_000, { atMost: 30, goal: 3 }, { atMost: 70, goal: 10 }, { atMost: 3.5, goal: 1 }]
]

/** Sizes may be chosen: `LIMITBOT_ORDERS=10,1000`. */
const chosen = process.env["LIMITBOT_ORDERS"]?.split(",").map(Number)

type Shown = readonly [name: string, measured: number, unit: string, budget?: Budget]

export const live = async ({ show, folder }: Bench): Promise<void> => {
  for (const [orders, p50, p99, share] of sizes) {
    if (chosen?.includes(orders) === false) continue
    const { perMinute, perOrder, reactions } = await beside(orders, join(folder, `live-${orders}.sqlite`))
    const { cancel, create } = reactions
    const rows: ReadonlyArray<Shown> = [
      [`from a price to a create, p50 of ${create.length}`, quantile(create, 0.5), "ms", p50],
      ["from a price to a create, p99", quantile(create, 0.99), "ms", p99],
      [`from a price to a cancel, p50 of ${cancel.length}`, quantile(cancel, 0.5), "ms", p50],
      ["from a price to a cancel, p99", quantile(cancel, 0.99), "ms", p99],
      ["a core's share", perMinute.processor / 600, "%", share],
      ["requests a minute", perMinute.requests, ""],
      ["placing one", perOrder.processor, "ms"],
      ["requests to place one", perOrder.requests, ""]
    ]
    for (const [name, measured, unit, budget] of rows)
      show(
        await says(`beside ${orders} orders`, saying(name, measured), { samples: 1, unit, ...(budget && { budget }) })
      )
  }
}

export const life = async ({ show }: Bench): Promise<void> => {
  const { lives, commits, requests } = await BotWorld.lifeOf(10)
  const what = `the life of one of ${lives} orders`
  show(await says(what, saying("synced commits", commits), { samples: 1, budget: { atMost: 8.6, goal: 5 } }))
  show(await says(what, saying("requests", requests), { samples: 1, budget: { atMost: 35 } }))
}
