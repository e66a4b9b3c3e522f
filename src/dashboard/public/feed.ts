/**
 * Keeps the signals of the page up to date. It reads everything once, then follows the stream: after an event it reads again what the
 * event may concern, a few times a second at most; after a gap or a lost connection it reads everything again.
 */
import { batch, effect } from "@preact/signals"
import type { Book } from "../../views/Book.ts"
import type { Candles } from "../../views/Candles.ts"
import type { Lines } from "../../views/Events.ts"
import type { Fills } from "../../views/Fills.ts"
import type { Money } from "../../views/Money.ts"
import type { PriceView } from "../../views/Prices.ts"
import type { Profit } from "../../views/Profit.ts"
import type { Slots } from "../../views/Slots.ts"
import type { Status } from "../../views/Status.ts"
import * as Api from "./api.ts"
import { loadFiles } from "./files.ts"
import { login } from "./login.ts"
import { makeReading } from "./reading.ts"
import * as Store from "./store.ts"

const mostFills = 10_000
const mostEvents = 200
/** With fewer stored minutes than these, five-second candles show more. */
const fewMinutes = 15
const youngMillis = 600_000

const ofMarket = (path: string): string => `${path}?market=${encodeURIComponent(Store.market.value)}`

const readers = {
  status: async () => {
    const status = await Api.get<Status>("status")
    batch(() => {
      Store.status.value = status
      Store.skew.value = status.at - Date.now()
    })
  },
  candles: async () => {
    if (Store.market.value === "") return
    const path = `${ofMarket("candles")}&timeframe=${Store.timeframe.value.value}`
    Store.candles.value = await Api.get<typeof Candles.Type>(path)
  },
  book: async () => {
    if (Store.market.value !== "") Store.book.value = await Api.get<typeof Book.Type>(ofMarket("book"))
  },
  slots: async () => {
    Store.slots.value = await Api.get<typeof Slots.Type>("slots")
  },
  profit: async () => {
    Store.profit.value = await Api.get<typeof Profit.Type>("profit")
  },
  money: async () => {
    Store.money.value = await Api.get<typeof Money.Type>("money")
  },
  fills: async () => {
    // Reads all fills once, then only new ones, because there may be thousands.
    const before = Store.fills.value ?? []
    const after = before.at(-1)?.sequence ?? 0
    const { fills } = await Api.get<typeof Fills.Type>(`fills?limit=${mostFills}&after=${after}`)
    Store.fills.value = [...before, ...fills].slice(-mostFills)
  },
  events: async () => {
    const path = `log?limit=${mostEvents}&search=${encodeURIComponent(Store.search.value)}`
    Store.events.value = (await Api.get<typeof Lines.Type>(path)).events
  },
  files: loadFiles
}
type Panel = keyof typeof readers

const everything: ReadonlyArray<Panel> = [
  "status",
  "fills",
  "candles",
  "book",
  "slots",
  "money",
  "profit",
  "events",
  "files"
]

const failed = (error: unknown): void => {
  if (!(error instanceof Api.Refused) || error.status !== 401) return
  Api.forgetToken()
  login("The bot does not accept this token.")
}

const reading = makeReading(readers, { profit: 4_000, candles: 60_000, files: 5_000 }, failed)
const { refresh, work } = reading

const readAll = (): void => {
  for (const panel of everything) reading.forgetPause(panel)
  refresh(...everything)
}

const onPrices = (prices: ReadonlyArray<PriceView>): void => {
  const { status } = Store
  if (status.value === undefined) return
  const moved = new Map(prices.map((price) => [price.market, price]))
  const still = status.value.prices.filter(({ market }) => !moved.has(market))
  status.value = { ...status.value, prices: [...still, ...moved.values()] }
  refresh("book", "slots", "profit")
}

const onMessage = ({ data, event }: Api.Told): void => {
  Store.heardAt.value = Store.now()
  if (event === "Prices") return onPrices(data["prices"] as ReadonlyArray<PriceView>)
  if (event === "Alive") {
    if (Store.status.value !== undefined)
      Store.status.value = { ...Store.status.value, turnedAt: Number(data["turnedAt"]) }
    return refresh("status")
  }
  const tag = String(data["tag"])
  refresh("status", "slots", "book", "events", "money")
  if (tag === "FillSeen") refresh("fills", "profit")
  if (tag.startsWith("Strateg")) refresh("files")
}

/** Reads anew what a choice of the reader changes. */
const followChoices = (): void => {
  const again = (read: () => unknown, ...panels: ReadonlyArray<Panel>): void => {
    effect(() => {
      read()
      for (const panel of panels) reading.forgetPause(panel)
      refresh(...panels)
    })
  }
  again(() => [Store.market.value, Store.timeframe.value.value], "candles", "book")
  again(() => Store.search.value, "events")
}

const firstStatus = async (): Promise<boolean> => {
  // Repeats until the bot answers, because it may be about to start.
  for (;;) {
    try {
      await readers.status()
      return true
    } catch (error) {
      failed(error)
      if (error instanceof Api.Refused && error.status === 401) return false
      await new Promise((done) => setTimeout(done, 1_500))
    }
  }
}

export const start = async (): Promise<void> => {
  if (Api.token() === null) return login("Enter the bot's access token.")
  setInterval(() => {
    Store.second.value = Store.now()
  }, 1_000)
  if (!(await firstStatus())) return
  const { startedAt = 0, sequence = 0 } = Store.status.value ?? {}
  if (!Store.timeframe.isKept && Store.now() - startedAt < youngMillis) {
    // An earlier run's minutes are stored. If there are only a few, five-second candles show more.
    const { time } = await Api.get<typeof Candles.Type>(`${ofMarket("candles")}&timeframe=1m`).catch(() => ({
      time: []
    }))
    if (time.length < fewMinutes) Store.timeframe.value.value = "5s"
  }
  refresh(...everything)
  followChoices()
  setInterval(work, 120)
  work()
  Api.listen(sequence, {
    told: onMessage,
    gap: () => refresh(...everything),
    state: (state) => {
      if (state === "refused") return failed(new Api.Refused(401, ""))
      if (state === "live" && Store.link.value !== "live") readAll()
      Store.link.value = state
    }
  })
}
