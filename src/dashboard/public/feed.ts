/** Reads everything once, then follows the stream: after an event, what the event may concern; after a gap or a lost link, everything. */
import { batch, effect } from "@preact/signals"
import type { Fills } from "../../views/Fills.ts"
import type { PriceView } from "../../views/Prices.ts"
import type { Status } from "../../views/Status.ts"
import * as Api from "./api.ts"
import { loadFiles } from "./files.ts"
import { login } from "./login.ts"
import * as Store from "./store.ts"

const mostFills = 10_000
const mostEvents = 200
const fewMinutes = 15
const youngMillis = 600_000

const ofMarket = (path: string, more = ""): string | undefined =>
  Store.market.value === "" ? undefined : `${path}?market=${encodeURIComponent(Store.market.value)}${more}`

/** Puts each answer into its signal. `path` returns undefined while there is nothing to ask about. */
const into =
  <A>(target: { value: A | undefined }, path: () => string | undefined) =>
  async (): Promise<void> => {
    const address = path()
    if (address !== undefined) target.value = await Api.get<A>(address)
  }

const readers = {
  status: async () => {
    const status = await Api.get<Status>("status")
    batch(() => {
      Store.status.value = status
      Store.skew.value = status.at - Date.now()
    })
  },
  fills: async () => {
    // Reads all fills once, then only new ones, because there may be thousands.
    const before = Store.fills.value ?? []
    const path = `fills?limit=${mostFills}&after=${before.at(-1)?.sequence ?? 0}`
    const { fills } = await Api.get<typeof Fills.Type>(path)
    Store.fills.value = [...before, ...fills].slice(-mostFills)
  },
  candles: into(Store.candles, () => ofMarket("candles", `&timeframe=${Store.timeframe.value.value}`)),
  book: into(Store.book, () => ofMarket("book")),
  byHand: into(Store.byHand, () => "order"),
  slots: into(Store.slots, () => "slots"),
  money: into(Store.money, () => "money"),
  profit: into(Store.profit, () => "profit"),
  events: into(Store.events, () => `log?limit=${mostEvents}&search=${encodeURIComponent(Store.search.value)}`),
  files: loadFiles
}
type Panel = keyof typeof readers
const isPanel = (name: string): name is Panel => name in readers
const everything = Object.keys(readers).filter(isPanel)

const failed = (error: unknown): void => {
  if (!(error instanceof Api.Refused) || error.status !== 401) return
  Api.forgetToken()
  login("The bot does not accept this token.")
}

/** Each panel is read as soon as it may have changed, after its pause at the earliest, and never twice at a time. */
const pauses: Readonly<Partial<Record<Panel, number>>> = { profit: 4_000, candles: 60_000, files: 5_000 }
const usualPause = 500
const [due, busy] = [new Set<Panel>(), new Set<Panel>()]
const readAt = new Map<Panel, number>()

const refresh = (...panels: ReadonlyArray<Panel>): void => {
  for (const panel of panels) due.add(panel)
}

const refreshNow = (...panels: ReadonlyArray<Panel>): void => {
  for (const panel of panels) readAt.delete(panel)
  refresh(...panels)
}

const work = (): void => {
  for (const panel of due) {
    if (busy.has(panel) || Date.now() - (readAt.get(panel) ?? 0) < (pauses[panel] ?? usualPause)) continue
    due.delete(panel)
    busy.add(panel)
    readAt.set(panel, Date.now())
    readers[panel]()
      .catch((error: unknown) => {
        due.add(panel)
        failed(error)
      })
      .finally(() => busy.delete(panel))
  }
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
  refresh("status", "slots", "byHand", "book", "events", "money")
  if (tag === "FillSeen") refresh("fills", "profit")
  if (tag.startsWith("Strateg")) refresh("files")
}

const followChoices = (): void => {
  const again = (read: () => unknown, ...panels: ReadonlyArray<Panel>): void => {
    effect(() => {
      read()
      refreshNow(...panels)
    })
  }
  again(() => [Store.market.value, Store.timeframe.value.value], "candles", "book")
  again(() => Store.search.value, "events")
}

const firstStatus = async (): Promise<boolean> => {
  // Repeats until the bot answers: it may be starting.
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
    // Minutes of an earlier run may be stored. If there are only a few, five-second candles show more.
    await readers.candles().catch(() => undefined)
    if ((Store.candles.value?.time.length ?? 0) < fewMinutes) Store.timeframe.value.value = "5s"
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
      if (state === "live" && Store.link.value !== "live") refreshNow(...everything)
      Store.link.value = state
    }
  })
}
