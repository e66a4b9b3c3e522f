/**
 * The page over many bots: counts by state, problems by kind, exact totals, and the worst bots that pass the filter. It reads one answer
 * every few seconds. The detail of a chosen bot comes from its own journal, or from the bot itself.
 */
import { mayAs, operatorCommands } from "../../control/api/OperatorCommands.ts"
import type { BotDetail, BotLine, FleetOverview } from "../../fleet/server/FleetView.ts"
import { agreeTo, closeButton, login, open, resolveProblem } from "./actions.ts"
import * as Api from "./api.ts"
import { byId, count, h, messageOf, show, table } from "./dom.ts"
import { age, decimal } from "./format.ts"
import { figure, placeName } from "./panels.ts"
import { followTheme } from "./theme.ts"

const everyMillis = 3_000
const commands = ["pause", "resume", "kill", "release"] as const

let fleet: FleetOverview | undefined
let heardAt = 0
let problem = ""

const valueOf = (id: string): string => {
  const field = byId(id)
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : ""
}

const may = (name: (typeof commands)[number]): boolean =>
  fleet !== undefined && mayAs(fleet.role, operatorCommands[name].role)

const query = (): string => {
  const filters = { search: valueOf("search"), state: valueOf("state"), class: valueOf("class"), problem }
  return new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== "")).toString()
}

const refresh = async (): Promise<void> => {
  try {
    const overview = await Api.get<FleetOverview>(`fleet?${query()}`)
    fleet = overview
    heardAt = Date.now()
    draw(overview)
  } catch (error) {
    if (error instanceof Api.Refused && error.status === 401) {
      Api.forgetToken()
      return login("This token is not valid here.")
    }
    drawLink(messageOf(error))
  }
}

const tones: Readonly<Record<BotLine["state"], string>> = {
  "nobody's": "alarm",
  failing: "alarm",
  unreachable: "alarm",
  killed: "alarm",
  paused: "warn",
  running: ""
}

const draw = (found: FleetOverview): void => {
  byId("figures").replaceChildren(
    figure("Bots", decimal(String(found.bots))),
    ...found.states.map(({ bots, state }) => figure(state, decimal(String(bots)), tones[state])),
    figure("Orders", decimal(String(found.openOrders))),
    figure("Fills", decimal(String(found.fills)))
  )
  for (const name of ["pause", "resume", "kill"] as const) {
    const button = byId(name)
    if (button instanceof HTMLButtonElement) button.disabled = !may(name)
  }
  choicesIn(
    "state",
    "all states",
    found.states.map(({ bots, state }) => [state, bots])
  )
  choicesIn(
    "class",
    "all classes",
    found.classes.flatMap((each) => (each.class === "" ? [] : [[each.class, each.bots] as const]))
  )
  drawKinds(found)
  drawTotals(found)
  drawBots(found)
  drawLink("")
}

const choicesIn = (id: string, all: string, choices: ReadonlyArray<readonly [name: string, bots: number]>): void => {
  const field = byId(id)
  if (!(field instanceof HTMLSelectElement) || document.activeElement === field) return
  const { value } = field
  const names = choices.some(([name]) => name === value) || value === "" ? choices : [...choices, [value, 0] as const]
  field.replaceChildren(
    h("option", { value: "" }, all),
    ...names.map(([name, bots]) => h("option", { value: name }, `${name} (${bots})`))
  )
  field.value = value
  field.hidden = choices.length === 0
}

const drawKinds = ({ problems }: FleetOverview): void => {
  const kinds =
    problem === "" || problems.some(({ kind }) => kind === problem)
      ? problems
      : [...problems, { kind: problem, severity: "warn" as const, bots: 0 }]
  if (kinds.length === 0) return show("kinds", h("p", { class: "empty" }, "No bot has a problem."))
  const pick = (kind: string) => () => {
    problem = problem === kind ? "" : kind
    refresh()
  }
  show(
    "kinds",
    h(
      "div",
      { class: "chips" },
      kinds.map(({ bots, kind, severity }) =>
        h(
          "button",
          {
            type: "button",
            class: `small chip ${severity}`,
            "aria-pressed": problem === kind ? "true" : "false",
            click: pick(kind)
          },
          `${kind} ${bots}`
        )
      )
    )
  )
}

const drawTotals = ({ totals }: FleetOverview): void =>
  totals.length === 0
    ? show("totals", h("p", { class: "empty" }, "No bot has reported money yet."))
    : show(
        "totals",
        table<FleetOverview["totals"][number]>(
          [
            { title: "Asset", cell: ({ asset }) => asset },
            { title: "Total", number: true, cell: ({ amount }) => decimal(amount) },
            { title: "Identifier", class: "soft ids", cell: ({ id }) => (id === "" ? "standalone bots" : id) }
          ],
          totals
        )
      )

const drawBots = ({ bots, listed, matching }: FleetOverview): void => {
  const more = matching - listed.length
  count("t-bots", `${matching === bots ? "" : `${matching} of `}${bots}${more > 0 ? `, ${listed.length} shown` : ""}`)
  if (listed.length === 0)
    return show("bots", h("p", { class: "empty" }, bots === 0 ? "There are no bots yet." : "No bot matches."))
  show(
    "bots",
    table<BotLine>(
      [
        {
          title: "Bot",
          cell: ({ name }) => h("button", { type: "button", class: "link-button", click: () => detail(name) }, name)
        },
        { title: "State", cell: ({ state }) => state, tone: ({ state }) => tones[state] },
        { title: "Class", optional: true, cell: (line) => line.class },
        { title: "Orders", number: true, cell: ({ openOrders }) => openOrders },
        { title: "Fills", number: true, optional: true, cell: ({ fills }) => fills },
        {
          title: "Runner",
          optional: true,
          class: "soft",
          cell: ({ kind, runner }) => runner ?? (kind === "bot" ? "standalone" : "none")
        },
        {
          title: "Reported",
          number: true,
          optional: true,
          cell: ({ toldSecondsAgo: ago }) => (ago === null ? "" : age(ago * 1_000))
        },
        { title: "Problems", class: "wide-text", cell: problemsOf, tone: toneOf }
      ],
      listed
    )
  )
}

const toneOf = ({ problems }: BotLine): string => problems[0]?.severity ?? ""
const problemsOf = ({ problems, why }: BotLine): string => {
  const [first] = problems
  if (first === undefined) return why
  return `${first.kind}: ${first.text}${problems.length > 1 ? `, and ${problems.length - 1} more` : ""}`
}

const detail = async (name: string): Promise<void> => {
  open(name, h("p", { class: "soft" }, "Reading its journal …"), closeButton("Close"))
  try {
    showDetail(await Api.get<BotDetail>(`bots/${encodeURIComponent(name)}`))
  } catch (error) {
    open(name, h("p", { class: "alarm" }, messageOf(error)), closeButton("Close"))
  }
}

const showDetail = ({ line, money, orders, problems }: BotDetail): void => {
  const { name } = line
  const buttons = commands
    .filter((each) => (each === "release" ? line.state === "killed" : each !== "resume" || line.state === "paused"))
    .map((each) =>
      h(
        "button",
        {
          type: "button",
          class: each === "kill" ? "danger" : "",
          disabled: !may(each),
          click: () => agreeTo(each, { bots: [name] }, name)
        },
        operatorCommands[each].title
      )
    )
  const troubles = problems.map((each) =>
    h(
      "p",
      { class: each.severity },
      `${each.subject}: ${each.text} `,
      each.resolve !== null && fleet !== undefined && mayAs(fleet.role, "operator")
        ? h(
            "button",
            {
              type: "button",
              class: "small",
              click: () => resolveProblem(each, `bots/${encodeURIComponent(name)}/resolve`)
            },
            "Resolve"
          )
        : null
    )
  )
  open(
    name,
    h(
      "p",
      {},
      `${line.state}${line.why === "" ? "" : `: ${line.why}`}`,
      line.runner === null ? "" : ` · on ${line.runner}`
    ),
    ...(troubles.length === 0 ? [h("p", { class: "soft" }, "No problems.")] : troubles),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Money and orders" },
      table<BotDetail["money"][number]>(
        [
          { title: "Asset", cell: ({ asset }) => asset },
          { title: "Place", cell: ({ place }) => placeName(place) },
          { title: "Amount", number: true, cell: ({ amount }) => decimal(amount) }
        ],
        money
      ),
      table<BotDetail["orders"][number]>(
        [
          { title: "Slot", cell: ({ slot }) => slot },
          { title: "Side", cell: ({ side }) => side, tone: ({ side }) => (side === "BUY" ? "buy" : "sell") },
          { title: "Price", number: true, cell: ({ price }) => decimal(price) },
          { title: "Quantity", number: true, cell: ({ quantity }) => quantity },
          { title: "State", cell: ({ state }) => state }
        ],
        orders
      )
    ),
    h("div", { class: "row" }, closeButton("Close"), ...buttons)
  )
}

const drawLink = (why: string): void => {
  const element = byId("link")
  element.className = `link ${why === "" ? "ok" : "gone"}`
  element.textContent = why === "" ? "connected" : "no connection"
  const banner = byId("banner")
  const since = heardAt === 0 ? "" : `, last heard ${age(Date.now() - heardAt)} ago`
  banner.textContent =
    why === "" ? "" : `${why}${since}. Figures are old; bots run without this page, which keeps trying.`
  banner.hidden = why === ""
}

const begin = async (): Promise<void> => {
  followTheme(() => undefined)
  Api.takeToken()
  addEventListener("hashchange", () => {
    if (Api.takeToken()) location.reload()
  })
  if (Api.token() === null) return login("Enter an access token.")
  for (const name of ["pause", "resume", "kill"] as const) {
    byId(name).addEventListener("click", () => agreeTo(name, { bots: "all" }, "all bots"))
  }
  for (const id of ["search", "state", "class"]) byId(id).addEventListener("input", () => refresh())
  for (;;) {
    await refresh()
    if (Api.token() === null) return
    await new Promise((done) => setTimeout(done, everyMillis))
  }
}

begin()
