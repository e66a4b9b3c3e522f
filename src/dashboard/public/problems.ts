/** Problems by kind: one row for each, with its count, the first case and its remedy. Further cases unfold. */
import { useSignal } from "@preact/signals"
import { h } from "preact"
import { mayAs, operatorCommands, type TokenRole } from "../../control/api/OperatorCommands.ts"
import type { ProblemView } from "../../views/Problems.ts"
import { agree, command, reconcile, resolveProblem } from "./commands.ts"
import { clock, spoken } from "./format.ts"
import { Button, Empty, Icon } from "./parts.ts"
import * as Store from "./store.ts"

const remedies: Readonly<
  Record<
    NonNullable<ProblemView["command"]>,
    { readonly title: string; readonly role: TokenRole; readonly act: (problem: ProblemView) => void }
  >
> = {
  release: { ...operatorCommands.release, act: () => agree("release") },
  resume: { ...operatorCommands.resume, act: ({ subject }) => void command("resume", { strategy: subject }) },
  reconcile: { title: "Reconcile", role: "trader", act: reconcile },
  resolve: { title: "Resolve", role: "operator", act: (problem) => resolveProblem(problem) }
}

const titles: Readonly<Record<string, string>> = {
  foreign: "Unknown orders",
  "no-price": "No price",
  late: "Bot is late"
}
const titleOf = (kind: string): string => titles[kind] ?? spoken(kind)

const Remedy = ({ problem }: { readonly problem: ProblemView }) => {
  const remedy = problem.command === null ? undefined : remedies[problem.command]
  const role = Store.status.value?.role
  if (remedy === undefined || role === undefined || !mayAs(role, remedy.role)) return null
  return h(Button, { label: remedy.title, style: "sm", onClick: () => remedy.act(problem) })
}

const Case = ({ problem }: { readonly problem: ProblemView }) =>
  h(
    "p",
    {},
    `${problem.subject}: ${problem.text}`,
    problem.since !== null && h("span", { class: "dim" }, ` since ${clock(problem.since)}`)
  )

/** A position without its exit can lose without limit, so each case shows. */
const isUnfolded = (kind: string): boolean => kind === "exit-refused"

const Group = ({ cases }: { readonly cases: ReadonlyArray<ProblemView> }) => {
  const [first, ...others] = cases
  if (first === undefined) return null
  return h(
    "li",
    { class: `prob ${first.severity}` },
    h(Icon, { name: "warn" }),
    h(
      "div",
      {},
      h("b", {}, cases.length > 1 && h("span", { class: "count" }, cases.length), titleOf(first.kind)),
      h(Case, { problem: first })
    ),
    h(Remedy, { problem: first }),
    others.length > 0 &&
      h(
        "details",
        { open: isUnfolded(first.kind) },
        h("summary", {}, `${others.length} more`),
        others.map((problem) =>
          h(
            "div",
            { class: "case", key: `${problem.subject} ${problem.text}` },
            h(Case, { problem }),
            h(Remedy, { problem })
          )
        )
      )
  )
}

/** More than these are shown on request. */
const mostKinds = 3

export const Problems = () => {
  const isAll = useSignal(false)
  const kinds = Store.problemKinds.value
  const shown = isAll.value ? kinds : kinds.slice(0, mostKinds)
  const toggle = () => {
    isAll.value = !isAll.value
  }
  return h(
    "section",
    {
      class: `card att ${isAll.value ? "all" : ""}`,
      id: "attention",
      "aria-labelledby": "t-problems",
      "aria-live": "polite"
    },
    h(
      "header",
      {},
      h("h2", { id: "t-problems" }, Store.trouble.value === "" ? "No warnings" : Store.trouble.value),
      kinds.length > 1 &&
        h(Button, {
          label: isAll.value ? "Show fewer" : "Show all",
          style: `quiet sm push ${kinds.length > mostKinds ? "" : "only-sm"}`,
          onClick: toggle
        })
    ),
    kinds.length === 0
      ? h(Empty, { title: "All is well" }, "Problems appear here, each with what to do.")
      : h(
          "ul",
          { class: "rows", id: "problems" },
          shown.map((cases) => h(Group, { key: cases[0]?.kind, cases }))
        )
  )
}
