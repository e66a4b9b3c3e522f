/** Problems by kind: one row for each, with its count, the first case and its remedy. Further cases unfold. */
import { h } from "preact"
import type { ProblemView } from "../../views/Problems.ts"
import { CommandButton, reconcile, resolveProblem } from "./commands.ts"
import { brief, moment, spoken } from "./format.ts"
import { Button, Empty, Icon, useToggle } from "./parts.ts"
import * as Store from "./store.ts"
import { b, div, h2, header, li, p, section, span, ul } from "./tags.ts"

const titles: Readonly<Record<string, string>> = { foreign: "Unknown orders", late: "Bot is late" }
const titleOf = (kind: string): string => titles[kind] ?? spoken(kind)

const Remedy = ({ problem }: { readonly problem: ProblemView }) => {
  const { command, subject } = problem
  const style = "sm"
  if (command === "release") return h(CommandButton, { name: "release", style })
  if (command === "resume") return h(CommandButton, { name: "resume", payload: { strategy: subject }, style })
  const act = command === "resolve" ? () => resolveProblem(problem) : reconcile
  if (command === null || !Store.may(command === "resolve" ? "operator" : "trader")) return null
  return h(Button, { label: spoken(command), style, onClick: act })
}

/** Problems of these kinds name their strategy or asset. Others are of a slot or a market, or the text says what they are about. */
const naming = new Set(["left-position", "paused", "paused-by-limit", "plan-failed", "residual"])

const Case = ({ problem: { kind, since, subject, text } }: { readonly problem: ProblemView }) => {
  const about = naming.has(kind) || subject.includes("/") ? `${subject}: ` : ""
  return p("", about, brief(text), since !== null && span("dim", `, since ${moment(since)}`))
}

/** A position without its exit can lose without limit, so each case is in sight. */
const isGrave = (kind: string | undefined): boolean => kind === "exit-refused"

const Group = ({ cases }: { readonly cases: ReadonlyArray<ProblemView> }) => {
  const [first, ...others] = cases
  if (first === undefined) return null
  return li(
    `prob ${first.severity} ${isGrave(first.kind) ? "grave" : ""}`,
    h(Icon, { name: "warn" }),
    div("", b("", cases.length > 1 && span("count", cases.length), titleOf(first.kind)), h(Case, { problem: first })),
    h(Remedy, { problem: first }),
    others.length > 0 &&
      h(
        "details",
        { open: isGrave(first.kind) },
        h("summary", {}, `${others.length} more`),
        others.map((problem, index) => div({ class: "case", key: index }, h(Case, { problem }), h(Remedy, { problem })))
      )
  )
}

/** More than these are shown on request. */
const mostKinds = 3

export const Problems = () => {
  const [isAll, toggle] = useToggle()
  const kinds = Store.problemKinds.value
  const isUnknown = Store.isLost.value || Store.status.value === undefined
  const visibleKinds = kinds.filter(([first], index) => isAll || index < mostKinds || isGrave(first?.kind))
  const style = `quiet sm push ${kinds.length > mostKinds ? "" : "only-sm"}`
  return section(
    {
      class: `card att ${isAll ? "all" : ""} ${kinds.length === 0 ? "calm" : ""}`,
      id: "attention",
      "aria-labelledby": "t-problems",
      "aria-live": "polite"
    },
    header(
      "",
      h2({ id: "t-problems" }, Store.trouble.value || (isUnknown ? "Warnings" : "No warnings")),
      kinds.length > 1 && h(Button, { label: isAll ? "Show fewer" : "Show all", style, onClick: toggle })
    ),
    kinds.length === 0
      ? h(Empty, { title: isUnknown ? "Unknown until the bot answers" : "All is well" })
      : ul(
          { class: "rows", id: "problems" },
          visibleKinds.map((cases) => h(Group, { key: cases[0]?.kind, cases }))
        )
  )
}
