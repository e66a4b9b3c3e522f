/**
 * The page of a running bot. It reads everything once, then follows the stream. After an event it reads the panels anew that the event may
 * concern, a few times a second at most; after a gap or a lost connection it reads everything anew. Every panel shows its age.
 */
import { mayAs, operatorCommands, type TokenRole } from "../../control/api/OperatorCommands.ts"
import type { Book } from "../../views/Book.ts"
import type { Candles } from "../../views/Candles.ts"
import type { Lines } from "../../views/Events.ts"
import type { Fills, FillView } from "../../views/Fills.ts"
import type { Money } from "../../views/Money.ts"
import type { PriceView } from "../../views/Prices.ts"
import type { ProblemView } from "../../views/Problems.ts"
import type { Profit } from "../../views/Profit.ts"
import type { Slots } from "../../views/Slots.ts"
import type { Status } from "../../views/Status.ts"
import { agree, command, explain, login, reconcile, resolveProblem, swap } from "./actions.ts"
import { offerAlerts } from "./alerts.ts"
import * as Api from "./api.ts"
import { bookView } from "./book.ts"
import { priceChart, profitChart, ranges } from "./charts.ts"
import { byId, choices, h, show } from "./dom.ts"
import { loadFiles } from "./files.ts"
import { age, price, sum } from "./format.ts"
import {
  figure,
  money,
  showEvents,
  showFills,
  showMoney,
  showProblems,
  showSlots,
  showStandings,
  showState
} from "./panels.ts"
import { makeReading } from "./reading.ts"
import { followTheme } from "./theme.ts"

const frames: Readonly<Record<string, number>> = {
  "5s": 5,
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "1h": 3_600,
  "4h": 14_400,
  "1d": 86_400
}
const panelOf = {
  chart: "t-chart",
  book: "t-book",
  slots: "t-slots",
  profit: "t-profit",
  money: "t-money",
  fills: "t-fills",
  events: "t-events",
  files: "t-files"
} as const
type Panel = keyof typeof panelOf

let status: Status | undefined
let market = ""
let timeframe = "1m"
let lastMid = 0
let orders: (typeof Book.Type)["orders"] = []
/** In the order in which the bot saw them: after a restart it can see older fills of one order after newer fills of another. */
let fills: ReadonlyArray<FillView> = []
const inOrder = (seen: ReadonlyArray<FillView>) => seen.toSorted((a, b) => a.at - b.at)
const mostFills = 10_000
let link: "live" | "gone" | "refused" = "gone"
/** Milliseconds that the bot's clock is ahead of ours, so that ages are right on another machine. */
let skew = 0
const drawnAt = new Map<Panel, number>()
const now = (): number => Date.now() + skew

const candles = priceChart("chart")
const worth = profitChart("profit")
const may = (needed: TokenRole): boolean => status !== undefined && mayAs(status.role, needed)

const drew = (panel: Panel, at: number): void => {
  drawnAt.set(panel, at)
}

const readCandles = (frame: string) =>
  Api.get<typeof Candles.Type>(`candles?market=${encodeURIComponent(market)}&timeframe=${frame}`)
const fewMinutes = 15

const readers: Readonly<Record<Panel | "status", () => Promise<void>>> = {
  status: async () => {
    const newStatus = await Api.get<Status>("status")
    status = newStatus
    skew = newStatus.at - Date.now()
    if (market === "") market = newStatus.strategies[0]?.market ?? newStatus.prices[0]?.market ?? ""
    drawHeader(newStatus)
  },
  chart: async () => {
    if (market === "") return
    const chartData = await readCandles(timeframe)
    candles.set(chartData, frames[timeframe] ?? 60)
    candles.fills(inOrder(fills.filter((fill) => fill.market === market)))
    drew("chart", chartData.at)
  },
  book: async () => {
    if (market === "") return
    const bookReply = await Api.get<typeof Book.Type>(`book?market=${encodeURIComponent(market)}`)
    orders = bookReply.orders
    show("book", bookView(bookReply, now()))
    if (!hasScrolledBook) centreBook()
    candles.orders(orders, Number(bookReply.price?.mid ?? lastMid))
    drew("book", bookReply.at)
  },
  slots: async () => {
    const slotList = await Api.get<typeof Slots.Type>("slots")
    showSlots(slotList.slots, slotList.at, {
      mayCommand: may(operatorCommands.cancel.role),
      explain,
      cancel: askCancel
    })
    drew("slots", slotList.at)
  },
  profit: async () => {
    const profitReply = await Api.get<typeof Profit.Type>("profit")
    drawProfit(profitReply)
    drew("profit", profitReply.at)
  },
  money: async () => {
    const moneyReply = await Api.get<typeof Money.Type>("money")
    showMoney(moneyReply)
    drew("money", moneyReply.at)
  },
  fills: async () => {
    // Reads all fills once, then only new ones, because there may be thousands.
    const last = fills.at(-1)?.sequence ?? 0
    const newFills = await Api.get<typeof Fills.Type>(`fills?limit=${mostFills}&after=${last}`)
    fills = [...fills, ...newFills.fills].slice(-mostFills)
    showFills(inOrder(fills), status?.fills ?? fills.length)
    candles.fills(inOrder(fills.filter((fill) => fill.market === market)))
    drew("fills", newFills.at)
  },
  events: async () => {
    const search = byId("search")
    const words = search instanceof HTMLInputElement ? search.value : ""
    const logPage = await Api.get<typeof Lines.Type>(`log?limit=200&search=${encodeURIComponent(words)}`)
    showEvents(logPage.events)
    drew("events", logPage.at)
  },
  files: async () => {
    await loadFiles({ mayPlan: may("trader"), mayApply: may("operator"), backtested: worth.band })
    drew("files", now())
  }
}

let hasScrolledBook = false
const centreBook = (): void => {
  const element = byId("book")
  const spread = element.querySelector(".spread")
  if (spread instanceof HTMLElement) {
    element.scrollTop = spread.offsetTop - (element.clientHeight - spread.offsetHeight) / 2
  }
}

const askCancel = (slot: string): void => agree("cancel", { slot })

const act = (problem: ProblemView): void => {
  const { command: name, subject } = problem
  if (name === "release") agree("release")
  else if (name === "resume") command("resume", { strategy: subject })
  else if (name === "reconcile") reconcile()
  else if (name === "resolve") resolveProblem(problem)
}

const drawTicker = ({ ask, bid, mid, market: name }: PriceView): void => {
  const value = Number(mid)
  const tone = lastMid === 0 || value === lastMid ? "" : value > lastMid ? "up" : "down"
  lastMid = value
  byId("ticker").replaceChildren(
    h("span", { class: "soft" }, name),
    h("b", { class: tone }, price(mid)),
    h("span", { class: "soft mono optional" }, `${price(bid)} / ${price(ask)}`)
  )
  document.title = `${price(mid)} ${name} · limitbot`
}

const drawHeader = (read: Status): void => {
  showState(read)
  const marketPrice = read.prices.find((each) => each.market === market)
  if (marketPrice !== undefined) drawTicker(marketPrice)
  showProblems(read.problems, read.role, act)
  const isPaused = read.strategies.length > 0 && read.strategies.every(({ paused }) => paused !== null)
  const pause = byId("pause")
  pause.textContent = operatorCommands[isPaused ? "resume" : "pause"].title
  pause.onclick = () => {
    if (isPaused) command("resume", {})
    else agree("pause")
  }
  const { "cancel-all": cancelAll, kill, pause: pausing } = operatorCommands
  const needed = { pause: pausing.role, swap: "operator", "cancel-all": cancelAll.role, kill: kill.role } as const
  for (const [id, role] of Object.entries(needed)) {
    const button = byId(id)
    if (button instanceof HTMLButtonElement) button.disabled = !may(role) || link !== "live"
  }
}

const drawProfit = (profit: typeof Profit.Type): void => {
  worth.set(profit.series)
  showStandings(profit)
  byId("profit-figures").replaceChildren(
    ...profit.standings.flatMap(({ asset, capital, total }) =>
      capital === null
        ? []
        : [
            figure(`Equity, ${asset}`, money(sum([capital, total]), asset)),
            figure("If you had held", money(capital, asset))
          ]
    )
  )
  byId("figures").replaceChildren(
    figure("Fills", String(status?.fills ?? 0)),
    figure("Orders", String(status?.openOrders ?? 0))
  )
}

const all: ReadonlyArray<Panel | "status"> = [
  "status",
  "fills",
  "chart",
  "book",
  "slots",
  "money",
  "profit",
  "events",
  "files"
]

const failed = (error: unknown): void => {
  if (error instanceof Api.Refused && error.status === 401) {
    Api.forgetToken()
    login("The bot does not accept this token.")
  }
}

const reading = makeReading(readers, { profit: 4_000, chart: 60_000, files: 5_000 }, failed)
const { refresh, work } = reading

/** A panel is marked old if it should have been read by now; one that needs no reading is as old as the stream. */
const lateMillis = 15_000
let heardAt = 0

const drawAges = (): void => {
  for (const [panel, titleId] of Object.entries(panelOf)) {
    const title = byId(titleId)
    const label = title.querySelector(".age") ?? title.appendChild(h("span", { class: "age" }))
    const at = drawnAt.get(panel as Panel)
    // Without a newer event, the last reading is still valid.
    const isCurrent = link === "live" && !reading.isDue(panel as Panel) && panel !== "chart"
    const since = at === undefined ? undefined : now() - (isCurrent ? Math.max(at, heardAt) : at)
    label.textContent = since === undefined ? "…" : age(since)
    label.className = since !== undefined && since > lateMillis && panel !== "chart" ? "age old" : "age"
  }
  drawLink()
}

const drawLink = (): void => {
  const element = byId("link")
  const turn = status === undefined || status.turnedAt === 0 ? undefined : now() - status.turnedAt
  const isLate = turn !== undefined && turn > 60_000
  element.className = `link ${link !== "live" ? "gone" : isLate ? "late" : "ok"}`
  element.textContent = link !== "live" ? "no connection" : turn === undefined ? "starting" : `updated ${age(turn)} ago`
  const banner = byId("banner")
  const text =
    link !== "live"
      ? `The bot does not answer${heardAt === 0 ? "" : `, last heard ${age(now() - heardAt)} ago`}. Figures are old; open orders stay at the venue. This page keeps trying.`
      : isLate
        ? `The bot has not completed a turn for ${age(turn)}: it is busy or stuck. Figures may be old.`
        : ""
  if (banner.textContent !== text) banner.textContent = text
  banner.hidden = text === ""
}

const onMessage = ({ data, event }: Api.Told): void => {
  heardAt = now()
  if (event === "Prices") {
    const prices = data["prices"] as ReadonlyArray<PriceView>
    const tick = prices.find((each) => each.market === market)
    if (tick === undefined) return
    drawTicker(tick)
    candles.tick(tick.at, Number(tick.mid))
    drew("chart", tick.at)
    return refresh("book", "slots", "profit")
  }
  if (event === "Alive") {
    if (status !== undefined) status = { ...status, turnedAt: Number(data["turnedAt"]) }
    return refresh("status")
  }
  const tag = String(data["tag"])
  refresh("status", "slots", "book", "events", "money")
  if (tag === "FillSeen") refresh("fills", "profit")
  if (tag.startsWith("Strateg")) refresh("files")
}

const drawTools = (): void => {
  byId("chart-tools").replaceChildren(
    ...choices(Object.keys(frames), timeframe, (frame) => {
      timeframe = frame
      reading.forgetPause("chart")
      drawTools()
      refresh("chart")
      work()
    })
  )
}

const drawRanges = (chosen = "all"): void =>
  byId("profit-tools").replaceChildren(
    ...choices(Object.keys(ranges), chosen, (range) => {
      worth.show(ranges[range])
      drawRanges(range)
    })
  )

const paint = (): void => {
  candles.paint()
  worth.paint()
  refresh("book", "fills")
}

const begin = async (): Promise<void> => {
  drawTools()
  followTheme(paint)
  for (const event of ["wheel", "touchmove", "keydown"]) {
    byId("book").addEventListener(event, () => {
      hasScrolledBook = true
    })
  }
  byId("search").addEventListener("input", () => refresh("events"))
  byId("swap").addEventListener("click", swap)
  for (const name of ["cancel-all", "kill"] as const) byId(name).addEventListener("click", () => agree(name))
  Api.takeToken()
  addEventListener("hashchange", () => {
    if (Api.takeToken()) location.reload()
  })
  if (Api.token() === null) return login("Enter the bot's access token.")
  drawRanges()
  // Repeats until the bot answers, because it may be about to start.
  for (;;) {
    try {
      await readers.status()
      break
    } catch (error) {
      failed(error)
      if (error instanceof Api.Refused && error.status === 401) return
      drawLink()
      await new Promise((done) => setTimeout(done, 1_500))
    }
  }
  const { startedAt } = status ?? { startedAt: 0 }
  if (now() - startedAt < 600_000) {
    // An earlier run's minutes are stored. If there are only a few, five-second candles show more.
    const { time } = await readCandles("1m").catch(() => ({ time: [] }))
    if (time.length < fewMinutes) timeframe = "5s"
  }
  // A browser that allows no worker, for example because of an unknown certificate, shows no button.
  offerAlerts().catch(() => undefined)
  drawTools()
  refresh(...all)
  setInterval(work, 120)
  setInterval(drawAges, 1_000)
  Api.listen(status?.sequence ?? 0, {
    told: onMessage,
    gap: () => refresh(...all),
    state: (state) => {
      if (state === "refused") return failed(new Api.Refused(401, ""))
      if (state === "live" && link !== "live") {
        for (const panel of all) reading.forgetPause(panel)
        refresh(...all)
      }
      link = state
      drawLink()
      if (status !== undefined) drawHeader(status)
    }
  })
}

begin()
