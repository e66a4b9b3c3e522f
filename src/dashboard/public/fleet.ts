/**
 * The page over many bots: how many need attention, problems by kind, exact totals by asset, and the worst bots that pass the filter. It
 * reads one answer every few seconds. The detail of a chosen bot comes from its own journal, or from the bot itself.
 */
import { computed, signal } from "@preact/signals"
import { h, render } from "preact"
import { mayAs, operatorCommands } from "../../control/api/OperatorCommands.ts"
import type { BotDetail, BotLine, FleetOverview } from "../../fleet/server/FleetView.ts"
import * as Api from "./api.ts"
import { placeName } from "./balances.ts"
import { Brand, Menu } from "./bar.ts"
import { agree, resolveProblem, textIn } from "./commands.ts"
import { answered, CloseButton, Dialog, messageOf } from "./dialog.ts"
import { age, counted, decimal, spoken } from "./format.ts"
import { login } from "./login.ts"
import { Button, Chip, type ChipKind, Empty, Figures, Icon, Panel, Side, Table } from "./parts.ts"
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

/** Bots that run and have no problem need nobody. */
const troubled = computed(() =>
  (fleet.value?.states ?? []).reduce((sum, { bots, state }) => sum + (state === "running" ? 0 : bots), 0)
)

const StateOfFleet = () => {
  if (failure.value !== "") return h(Chip, { kind: "gone", id: "link" }, "DISCONNECTED")
  if (troubled.value === 0) return h(Chip, { kind: "live", id: "link" }, "RUNNING")
  const bots = decimal(String(fleet.value?.bots ?? 0))
  return h(
    Chip,
    { kind: "warn", id: "link" },
    `${troubled.value} of ${bots}`,
    h("span", { class: "lg" }, " need attention")
  )
}

const Bar = () => {
  const button = (name: "pause" | "resume" | "kill") => ({
    id: name,
    isAllowed: may(name),
    label: `${operatorCommands[name].title} all`,
    onClick: () => agree(name, { bots: "all" }, "all bots")
  })
  return h(
    "header",
    { class: "bar", id: "bar" },
    h(Brand, {}),
    h(StateOfFleet, {}),
    h("div", { class: "where" }, h("b", {}, "Fleet"), h("span", {}, counted(fleet.value?.bots ?? 0, "bot"))),
    h("p", { class: "age" }),
    h(
      "div",
      { class: "acts" },
      h(Menu, {}, h(Button, { ...button("pause"), icon: "paused" }), h(Button, button("resume"))),
      h(Button, { ...button("kill"), icon: "killed", style: "solid" })
    )
  )
}

const Banner = () => {
  if (failure.value === "") return null
  const since = heardAt.value === 0 ? "" : `, last heard ${age(Date.now() - heardAt.value)} ago`
  const text = `${failure.value}${since}. Figures are old; bots run without this page, which keeps trying.`
  return h(
    "section",
    { class: "banner gone wide", id: "banner", role: "alert" },
    h("span", { class: "badge" }, h(Icon, { name: "gone" })),
    h("p", {}, text)
  )
}

const Kinds = ({ problems }: FleetOverview) => {
  const chosen = filter.value.problem
  const isListed = chosen === "" || problems.some(({ kind }) => kind === chosen)
  const kinds = isListed ? problems : [...problems, { kind: chosen, severity: "warn" as const, bots: 0 }]
  const pick = (kind: string) => () => narrow({ problem: chosen === kind ? "" : kind })
  return kinds.length === 0
    ? h(Empty, { title: "No bot has a problem" })
    : h(
        "div",
        { class: "chips" },
        kinds.map(({ bots, kind, severity }) =>
          h(
            "button",
            {
              key: kind,
              type: "button",
              class: `chip ${severity === "alarm" ? "warn" : ""}`,
              "aria-pressed": chosen === kind ? "true" : "false",
              onClick: pick(kind)
            },
            `${kind} ${bots}`
          )
        )
      )
}

const Totals = ({ totals }: FleetOverview) =>
  totals.length === 0
    ? h(Empty, { title: "No bot has reported money yet" })
    : h(Table<FleetOverview["totals"][number]>, {
        rows: totals,
        keyOf: ({ asset, id }) => `${asset} ${id}`,
        columns: [
          { title: "Asset", class: "lead", cell: ({ asset }) => asset },
          { title: "Total", number: true, cell: ({ amount }) => decimal(amount) },
          { title: "Identifier", class: "soft wrap", cell: ({ id }) => (id === "" ? "standalone bots" : id) }
        ]
      })

const sentenceOf = ({ problems, why }: BotLine): string => {
  const [first] = problems
  if (first === undefined) return why
  return `${first.text}${problems.length > 1 ? `, and ${problems.length - 1} more` : ""}`
}

const Bots = ({ bots, listed }: FleetOverview) =>
  listed.length === 0
    ? h(Empty, { title: bots === 0 ? "There are no bots yet" : "No bot matches" })
    : h(Table<BotLine>, {
        class: "fleet",
        rows: listed,
        keyOf: ({ name }) => name,
        columns: [
          {
            title: "Account",
            class: "lead",
            cell: ({ name }) => h("button", { type: "button", class: "link", onClick: () => detail(name) }, name)
          },
          {
            title: "State",
            cell: ({ problems, state }) =>
              state === "running" && problems.length > 0
                ? h(Chip, { kind: "warn", small: true }, counted(problems.length, "warning"))
                : h(Chip, { kind: chips[state], small: true }, spoken(state))
          },
          { title: "Class", label: "Class", class: "soft x", cell: (line) => line.class },
          { title: "Orders", label: "Orders", number: true, cell: ({ openOrders }) => openOrders ?? "–" },
          { title: "Fills", label: "Fills", number: true, class: "x", cell: ({ fills }) => fills ?? "–" },
          {
            title: "Runner",
            class: "soft x",
            cell: ({ kind, runner }) => runner ?? (kind === "bot" ? "standalone" : "none")
          },
          {
            title: "Updated",
            number: true,
            class: "soft x",
            cell: ({ toldSecondsAgo: ago }) => (ago === null ? "never" : `${age(ago * 1_000)} ago`)
          },
          { title: "Problem", class: "wrap", cell: sentenceOf }
        ]
      })

const Choice = ({ all, label, name, of }: ChoiceProps) =>
  h(
    "select",
    {
      id: name,
      "aria-label": label,
      value: filter.value[name],
      onChange: (event: Event) => narrow({ [name]: textIn(event) })
    },
    h("option", { value: "" }, all),
    of.map(([value, bots]) => h("option", { key: value, value }, `${value} (${bots})`))
  )
interface ChoiceProps {
  readonly name: "state" | "class"
  readonly label: string
  readonly all: string
  readonly of: ReadonlyArray<readonly [value: string, bots: number]>
}

const Filters = ({ classes, states }: FleetOverview) => [
  h("input", {
    id: "search",
    type: "search",
    class: "push",
    placeholder: "Name, class, runner or problem",
    "aria-label": "Filter bots",
    onInput: (event: InputEvent) => narrow({ search: textIn(event) })
  }),
  h(Choice, {
    name: "state",
    label: "State",
    all: "all states",
    of: states.map(({ bots, state }) => [state, bots] as const)
  }),
  h(Choice, {
    name: "class",
    label: "Class",
    all: "all classes",
    of: classes.flatMap((each) => (each.class === "" ? [] : [[each.class, each.bots] as const]))
  })
]

const Detail = ({ line, money, orders, problems }: BotDetail) => [
  h(
    "p",
    {},
    `${spoken(line.state)}${line.why === "" ? "" : `: ${line.why}`}`,
    line.runner === null ? "" : ` · on ${line.runner}`
  ),
  problems.length === 0 && h("p", { class: "dim" }, "No problems."),
  problems.map((problem) =>
    h(
      "p",
      { key: problem.text, class: problem.severity === "alarm" ? "note warn" : "note" },
      `${problem.subject}: ${problem.text} `,
      problem.resolve !== null &&
        fleet.value?.role === "operator" &&
        h(Button, {
          label: "Resolve",
          style: "sm",
          onClick: () => resolveProblem(problem, `bots/${encodeURIComponent(line.name)}/resolve`)
        })
    )
  ),
  h(
    "div",
    { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Money and orders" },
    h(Table<BotDetail["money"][number]>, {
      rows: money,
      keyOf: ({ asset, place }) => `${asset} ${place}`,
      columns: [
        { title: "Asset", class: "lead", cell: ({ asset }) => asset },
        { title: "Place", cell: ({ place }) => placeName(place) },
        { title: "Amount", number: true, cell: ({ amount }) => decimal(amount) }
      ]
    }),
    h(Table<BotDetail["orders"][number]>, {
      rows: orders,
      keyOf: ({ placement }) => placement,
      columns: [
        { title: "Slot", class: "lead", cell: ({ slot }) => slot },
        { title: "Side", cell: ({ side }) => h(Side, { side }) },
        { title: "Price", label: "Price", number: true, cell: ({ price }) => decimal(price) },
        { title: "Quantity", label: "Quantity", number: true, cell: ({ quantity }) => quantity },
        { title: "State", cell: ({ state }) => state }
      ]
    })
  )
]

const footOf = ({ name, state }: BotLine) => {
  const fitting = commands.filter((each) =>
    each === "release" ? state === "killed" : each !== "resume" || state === "paused"
  )
  return [
    h(CloseButton, { label: "Close" }),
    fitting.map((each) =>
      h(Button, {
        key: each,
        label: operatorCommands[each].title,
        isAllowed: may(each),
        onClick: () => agree(each, { bots: [name] }, name)
      })
    )
  ]
}

const detail = (name: string): Promise<void> => {
  const answer = async () => {
    const found = await Api.get<BotDetail>(`bots/${encodeURIComponent(name)}`)
    return { body: h(Detail, found), foot: footOf(found.line) }
  }
  return answered({ title: name }, "Reading its journal …", answer())
}

const Overview = (of: FleetOverview) => {
  const { bots, fills, listed, matching, openOrders, states } = of
  const count = (each: number) => decimal(String(each))
  const more = matching > listed.length ? `, ${listed.length} shown` : ""
  const figures = [
    ...states.map(({ bots, state }) => [spoken(state), count(bots)] as const),
    ["Orders", count(openOrders)],
    ["Fills", count(fills)]
  ] as const
  return [
    h(
      "section",
      { class: "card wide head-top", "aria-label": "Fleet" },
      h(
        "div",
        { class: "hero" },
        h("h2", {}, "Bots that need attention"),
        h("p", { class: "hero-n" }, troubled.value, h("small", {}, ` of ${count(bots)}`))
      ),
      h("dl", { class: "stats", id: "figures" }, h(Figures, { of: figures }))
    ),
    h(Panel, { id: "kinds", title: "Problems by kind", class: "main" }, h(Kinds, of)),
    h(Panel, { id: "totals", title: "Totals by asset", sub: "Each asset for itself" }, h(Totals, of)),
    h(
      Panel,
      {
        id: "bots",
        title: "Accounts",
        sub: `Worst first: ${matching === bots ? "" : `${matching} of `}${bots}${more}`,
        tools: h(Filters, of),
        class: "wide"
      },
      h(Bots, of)
    )
  ]
}

const Page = () => [
  h("a", { class: "skip", href: "#main" }, "Skip to the bots"),
  h(Bar, {}),
  h(
    "main",
    { class: failure.value === "" ? "page" : "page old", id: "main" },
    h(Banner, {}),
    fleet.value !== undefined && h(Overview, fleet.value)
  ),
  h("footer", {}, "Totals are exact sums of what each bot has in its own books. Assets are never added together."),
  h(Dialog, {})
]

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
