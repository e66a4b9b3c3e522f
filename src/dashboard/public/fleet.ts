/** The page over many bots, from one answer every few seconds. The detail of a bot comes from its own journal, or from the bot itself. */
import { signal } from "@preact/signals"
import { h, render } from "preact"
import { mayAs, operatorCommands } from "../../control/api/OperatorCommands.ts"
import type { BotDetail, BotLine, FleetOverview } from "../../fleet/server/FleetView.ts"
import * as Api from "./api.ts"
import { placeName } from "./balances.ts"
import { Banner, Brand, Menu } from "./bar.ts"
import { CommandButton, resolveProblem, textIn } from "./commands.ts"
import { answered, CloseButton, Dialog, messageOf } from "./dialog.ts"
import { age, brief, countText, decimal, spoken, toneOf, trend } from "./format.ts"
import { login } from "./login.ts"
import {
  Button,
  type Child,
  Chip,
  type ChipKind,
  type Column,
  column,
  Empty,
  Figures,
  hero,
  Icon,
  LinkButton,
  Money,
  Panel,
  Side,
  Spark,
  Table
} from "./parts.ts"
import { b, div, dl, header, p, section, small, span } from "./tags.ts"
import { followTheme } from "./theme.ts"

const everyMillis = 3_000
const commands = ["pause", "resume", "kill", "release"] as const
type Command = (typeof commands)[number]

const fleet = signal<FleetOverview | undefined>(undefined)
const failure = signal("")
const heardAt = signal(0)
const filter = signal({ search: "", state: "", class: "", problem: "" })

const may = (name: Command): boolean =>
  fleet.value !== undefined && failure.value === "" && mayAs(fleet.value.role, operatorCommands[name].role)

const refresh = async (): Promise<void> => {
  const query = new URLSearchParams(Object.entries(filter.value).filter(([, value]) => value !== ""))
  try {
    fleet.value = await Api.get<FleetOverview>(`fleet?${query}`)
    heardAt.value = Date.now()
    failure.value = ""
  } catch (error) {
    if (!(error instanceof Api.Refused) || error.status !== 401) {
      failure.value = messageOf(error)
      return
    }
    Api.forgetToken()
    login("This token is not valid here.")
  }
}
const narrow = (change: Partial<typeof filter.value>): void => {
  filter.value = { ...filter.value, ...change }
  refresh()
}

const chips: Readonly<Record<BotLine["state"], ChipKind>> = {
  "nobody's": "gone",
  failing: "warn",
  unreachable: "gone",
  killed: "killed",
  paused: "paused",
  running: "live"
}

const StateOfFleet = () => {
  if (failure.value !== "") return h(Chip, { kind: "gone", id: "link" }, "DISCONNECTED")
  const { bots = 0, troubled = 0 } = fleet.value ?? {}
  if (troubled === 0) return h(Chip, { kind: "live", id: "link" }, "RUNNING")
  return h(Chip, { kind: "warn", id: "link" }, `${troubled} of ${bots}`, span("lg", " need attention"))
}

const Bar = () => {
  const { bots = 0 } = fleet.value ?? {}
  const props = (name: Command, label: string) => ({
    ...{ id: name, name, label, isAllowed: may(name) },
    ...{ payload: { bots: "all" }, about: "all bots" }
  })
  return header(
    { class: "bar", id: "bar" },
    h(Brand, {}),
    h(StateOfFleet, {}),
    div("where", b("", "Fleet"), span("", countText(bots, "bot"))),
    p("age"),
    div(
      "acts",
      h(
        Menu,
        {},
        h(CommandButton, { ...props("pause", "Pause all"), icon: "paused" }),
        h(CommandButton, props("resume", "Resume all"))
      ),
      h(CommandButton, { ...props("kill", "Kill all"), icon: "killed", style: "solid" })
    )
  )
}

const LostBanner = () => {
  if (failure.value === "") return null
  const since = heardAt.value === 0 ? "" : `Last heard ${age(Date.now() - heardAt.value)} ago. `
  const text = `${since}Figures are old; bots run without this page, which keeps trying.`
  return h(Banner, { kind: "gone", title: failure.value, text })
}

const Kinds = ({ problems }: FleetOverview) => {
  const chosen = filter.value.problem
  const isListed = chosen === "" || problems.some(({ kind }) => kind === chosen)
  const kinds = isListed ? problems : [...problems, { kind: chosen, severity: "warn" as const, bots: 0 }]
  if (kinds.length === 0) return h(Empty, { title: "No bot has a problem" })
  const button = ({ bots, kind, severity }: (typeof kinds)[number]) => {
    const isOn = chosen === kind
    const style = `chip ${severity === "alarm" ? "warn" : ""}`
    const onClick = () => narrow({ problem: isOn ? "" : kind })
    return h(Button, { key: kind, label: `${spoken(kind)} ${bots}`, style, isOn, onClick })
  }
  return div("chips", kinds.map(button))
}

type Total = FleetOverview["totals"][number]
const totalColumns: ReadonlyArray<Column<Total>> = [
  column("Asset", ({ asset }) => asset, "lead"),
  column("Total", ({ amount }) => span({ title: decimal(amount) }, brief(decimal(amount))), "num"),
  column("Identifier", ({ id }) => (id === "" ? "of standalone bots" : id), "soft wrap gap")
]

const Totals = ({ totals }: FleetOverview) =>
  h(Table<Total>, { rows: totals, keyOf: ({ asset, id }) => `${asset} ${id}`, columns: totalColumns })

const notesOf = ({ problems, why }: BotLine) => {
  const kinds = [...Map.groupBy(problems, ({ kind }) => kind).values()]
  const sentences = kinds.map(
    ([first, ...more]) => `${first?.text}${more.length === 0 ? "" : `, and ${more.length} more`}`
  )
  const all = sentences.length > 0 || why === "" ? sentences : [why]
  return all.map((sentence) => p("", h(Icon, { name: "warn" }), brief(sentence)))
}

const StateOf = ({ problems, state }: BotLine) =>
  state === "running" && problems.length > 0
    ? h(Chip, { kind: "warn", style: "sm" }, countText(new Set(problems.map(({ kind }) => kind)).size, "warning"))
    : h(Chip, { kind: chips[state], style: "sm" }, spoken(state))

const NameOf = ({ class: group, kind, name }: BotLine) => [
  h(LinkButton, { label: name, onClick: () => detail(name) }),
  div("sub", [group, kind === "bot" && "standalone"].filter(Boolean).join(" · "))
]

type Standing = BotLine["profit"][number]

/** A column with one line for each quote asset. A bot of an earlier version does not report every figure. */
const figure = (title: string, contentOf: (standing: Standing) => Child, style = "", label?: string) => {
  const lineOf = (standing: Standing) => div({ key: standing.asset, class: "line" }, contentOf(standing))
  const cell = ({ profit }: BotLine) => (profit.length === 0 ? "–" : profit.map(lineOf))
  return column(title, cell, `num ${style}`, label)
}

const exposureOf = ({ exposure = null }: Standing): Child => {
  if (exposure === null) return span("dim", "–")
  const text = `${Math.round(exposure * 100)} %`
  return [span("track", h("i", { style: { width: text.replace(" ", "") } })), text]
}

const columns: ReadonlyArray<Column<BotLine>> = [
  column("Account", (line) => h(NameOf, line), "wrap"),
  column("State", (line) => h(StateOf, line)),
  figure("Profit", ({ asset, total }) => [h(Money, { value: total, asset, profit: true }), small("dim", ` ${asset}`)]),
  figure("Return", ({ share }) => share !== null && span(toneOf((share * 100).toFixed(2)), trend(share))),
  figure("30 days", ({ curve = [] }) => h(Spark, { of: curve }), "curve"),
  figure("Equity", ({ asset, equity = null }) => h(Money, { value: equity, asset }), "", "Equity"),
  figure("Exposure", exposureOf, "", "Exposure"),
  column("Orders", ({ openOrders }) => openOrders ?? "–", "num x"),
  column("Updated", ({ toldSecondsAgo: ago }) => (ago === null ? "never" : `${age(ago * 1_000)} ago`), "num soft x")
]

const Bots = ({ bots, listed }: FleetOverview) =>
  listed.length === 0
    ? h(Empty, { title: bots === 0 ? "There are no bots yet" : "No bot matches" })
    : h(Table<BotLine>, { style: "fleet", rows: listed, keyOf: ({ name }) => name, columns, notesOf })

interface ChoiceProps {
  readonly name: "state" | "class"
  readonly all: string
  readonly of: ReadonlyArray<readonly [value: string, bots: number]>
}
const Choice = ({ all, name, of }: ChoiceProps) => {
  const onChange = (event: Event) => narrow({ [name]: textIn(event) })
  const options = of.map(([value, bots]) => h("option", { key: value, value }, `${value} (${bots})`))
  const select = { id: name, "aria-label": spoken(name), value: filter.value[name], onChange }
  return h("select", select, h("option", { value: "" }, all), options)
}

const Filters = ({ classes, states }: FleetOverview) => {
  const onInput = (event: InputEvent) => narrow({ search: textIn(event) })
  const field = { id: "search", type: "search", class: "push", placeholder: "Name, runner, problem" }
  const namedClasses = classes.filter((each) => each.class !== "")
  return [
    h("input", { ...field, "aria-label": "Filter bots", onInput }),
    h(Choice, { name: "state", all: "all states", of: states.map(({ bots, state }) => [state, bots] as const) }),
    h(Choice, { name: "class", all: "all classes", of: namedClasses.map((each) => [each.class, each.bots] as const) })
  ]
}

type Held = BotDetail["money"][number]
type Order = BotDetail["orders"][number]
const moneyColumns: ReadonlyArray<Column<Held>> = [
  column("Asset", ({ asset }) => asset, "lead"),
  column("Place", ({ place }) => placeName(place)),
  column("Amount", ({ amount }) => decimal(amount), "num")
]
const orderColumns: ReadonlyArray<Column<Order>> = [
  column("Slot", ({ slot }) => slot, "lead"),
  column("Side", ({ side }) => h(Side, { side })),
  column("Price", ({ price }) => decimal(price), "num", "Price"),
  column("Quantity", ({ quantity }) => quantity, "num", "Quantity"),
  column("State", ({ state }) => state)
]

const Detail = ({ line, money, orders, problems }: BotDetail) => {
  const why = line.why === "" ? "" : `: ${line.why}`
  const runner = line.runner === null ? "" : ` · on ${line.runner}`
  const fills = line.fills === null ? "" : ` · ${countText(line.fills, "fill")}`
  const path = `bots/${encodeURIComponent(line.name)}/resolve`
  const mayResolve = fleet.value?.role === "operator"
  return [
    p("", `${spoken(line.state)}${why}${runner}${fills}`),
    problems.length === 0 && p("dim", "No problems."),
    problems.map((problem, index) =>
      p(
        { key: index, class: problem.severity === "alarm" ? "note warn" : "note" },
        `${problem.subject}: ${brief(problem.text)} `,
        mayResolve &&
          problem.resolve !== null &&
          h(Button, { label: "Resolve", style: "sm", onClick: () => resolveProblem(problem, path) })
      )
    ),
    h(Table<Held>, { rows: money, keyOf: ({ asset, place }) => `${asset} ${place}`, columns: moneyColumns }),
    h(Table<Order>, { rows: orders, keyOf: ({ placement }) => placement, columns: orderColumns })
  ]
}

const footOf = ({ name, state }: BotLine) => {
  const isFitting = (each: Command) =>
    each === "release" ? state === "killed" : each !== "resume" || state === "paused"
  const props = { payload: { bots: [name] }, about: name }
  const button = (each: Command) => h(CommandButton, { key: each, name: each, isAllowed: may(each), ...props })
  return [h(CloseButton, { label: "Close" }), commands.filter(isFitting).map(button)]
}

const detail = (name: string): Promise<void> => {
  const loading = async () => {
    const bot = await Api.get<BotDetail>(`bots/${encodeURIComponent(name)}`)
    return { body: h(Detail, bot), foot: footOf(bot.line) }
  }
  return answered({ title: name }, "Reading its journal …", loading())
}

const Overview = (of: FleetOverview) => {
  const { bots, fills, listed, matching, openOrders, states, totals } = of
  const count = (each: number) => decimal(String(each))
  const more = matching > listed.length ? `, ${listed.length} shown` : ""
  const sub = `Worst first: ${matching === bots ? "" : `${matching} of `}${bots}${more}`
  const [first, ...others] = of.profits.toSorted((one, other) => other.bots - one.bots)
  const { amount, asset, bots: counted } = first ?? { amount: "0", asset: "", bots: 0 }
  const against = `against holding the budgets of ${counted} of ${countText(bots, "bot")}`
  const figures: ReadonlyArray<readonly [string, Child]> = [
    ...others.map(({ amount, asset }) => {
      return [`Profit, ${asset}`, h(Money, { value: amount, asset, profit: true })] as const
    }),
    ...states.map(({ bots, state }) => [spoken(state), count(bots)] as const),
    ["Open orders", count(openOrders)],
    ["Fills", count(fills)]
  ]
  return [
    section(
      { class: "card wide head-top", "aria-label": "Fleet" },
      hero("Profit", asset, amount, p("hero-s", counted === 0 ? "No bot reports a budget yet" : against)),
      dl({ class: "stats", id: "figures" }, h(Figures, { of: figures }))
    ),
    h(Panel, { id: "kinds", title: "Problems by kind", style: "wide" }, h(Kinds, of)),
    h(Panel, { id: "bots", title: "Accounts", sub, tools: h(Filters, of), style: "wide" }, h(Bots, of)),
    totals.length > 0 &&
      h(Panel, { id: "totals", title: "Totals by asset", sub: "Each asset for itself", style: "wide" }, h(Totals, of))
  ]
}

const Page = () => {
  const main = { class: `page ${failure.value === "" ? "" : "old"}`, id: "main" }
  return [
    h("a", { class: "skip", href: "#main" }, "Skip to the bots"),
    h(Bar, {}),
    h("main", main, h(LostBanner, {}), fleet.value !== undefined && h(Overview, fleet.value)),
    h("footer", {}, "Exposure is the share of equity that moves with a price. Assets are never added together."),
    h(Dialog, {})
  ]
}

const begin = async (): Promise<void> => {
  if (Api.token() === null) return login("Enter an access token.")
  while (Api.token() !== null) {
    await refresh()
    await new Promise((done) => setTimeout(done, everyMillis))
  }
}

followTheme()
Api.takeToken()
addEventListener("hashchange", () => {
  if (Api.takeToken()) location.reload()
})
render(h(Page, {}), document.getElementById("app") ?? document.body)
begin()
