/** The strategy files: edit, see the problems and the plan, apply. Nothing is written before "Apply". */
import { computed, signal } from "@preact/signals"
import { h } from "preact"
import type { StrategyFileView } from "../../control/api/Files.ts"
import type { BacktestAnswer } from "../../views/Backtest.ts"
import type { Plan } from "../../views/Plan.ts"
import * as Api from "./api.ts"
import { Code, goTo, mistakeOf } from "./code.ts"
import { textIn } from "./commands.ts"
import { tested } from "./curve.ts"
import { CloseButton, messageOf, open, toast } from "./dialog.ts"
import { brief, countText, decimal, signed, sum } from "./format.ts"
import { Button, type Column, column, LinkButton, Price, Side, Table } from "./parts.ts"
import { may } from "./store.ts"
import { div, p, pre, section, span } from "./tags.ts"

const quietMillis = 400
const backtestMillis = 300_000

interface Said {
  readonly lines: ReadonlyArray<string>
  readonly isGood: boolean
}

const files = signal<ReadonlyArray<StrategyFileView>>([])
const chosen = signal("")
/** Undefined until the reader changes the text. */
const edit = signal<string | undefined>(undefined)
const lastAnswer = signal<Said | undefined>(undefined)
type Change = (typeof Plan.Type)["changes"][number]
const planned = signal<ReadonlyArray<Change> | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

const file = computed(() => files.value.find((each) => each.file === chosen.value) ?? files.value[0])

export const loadFiles = async (): Promise<void> => {
  files.value = await Api.get<ReadonlyArray<StrategyFileView>>("files")
}

const say = (lines: ReadonlyArray<string>, isGood: boolean): void => {
  lastAnswer.value = { lines, isGood }
  planned.value = undefined
}
const failed = (error: unknown): void => say([messageOf(error)], false)

const edited = ({ file: name, text }: StrategyFileView) => ({ files: [{ file: name, text: edit.value ?? text }] })

const check = async (of: StrategyFileView): Promise<boolean> => {
  const { problems } = await Api.post<{ readonly problems: ReadonlyArray<string> }>("check", edited(of))
  say(problems.length > 0 ? problems : ["No problems. Plan, then apply."], problems.length === 0)
  return problems.length === 0
}

/** A plan is about all strategies; orders of other files change for their own reasons. */
const changesOf = (of: StrategyFileView, { changes }: typeof Plan.Type): ReadonlyArray<Change> => {
  const others = new Set(files.value.filter((each) => each.file !== of.file).map(({ strategy }) => strategy))
  return changes.filter(({ strategy }) => !others.has(strategy))
}

const costsOf = (changes: ReadonlyArray<Change>): string => {
  const costs = changes.flatMap((change) => change.costs)
  const total = (of: typeof costs) => brief(sum(of.map(({ amount }) => amount ?? "0")))
  return [...Map.groupBy(costs, ({ asset }) => asset)].map(([asset, of]) => `${total(of)} ${asset}`).join(" and ")
}

const outcomes: ReadonlyArray<readonly [Change["action"], string]> = [
  ["keep", "kept"],
  ["cancel", "cancelled"],
  ["create", "placed"],
  ["defer", "placed once funds are back"]
]

const plan = async (of: StrategyFileView): Promise<void> => {
  say(["planning …"], true)
  const answer = await Api.post<typeof Plan.Type>("plan", edited(of))
  const [changes, { refused }] = [changesOf(of, answer), answer]
  const [counts, costs] = [Map.groupBy(changes, ({ action }) => action), costsOf(changes)]
  const words = outcomes.flatMap(([action, word]) =>
    counts.has(action) ? [`${counts.get(action)?.length} ${word}`] : []
  )
  say(
    [
      words.join(", ") || "nothing to place",
      ...(costs === "" ? [] : [`Costs about ${costs}`]),
      ...answer.findings.map(({ text }) => brief(text)),
      ...(refused.length > 0 ? [`warnings: ${refused.join(", ")}`] : [])
    ],
    refused.length === 0
  )
  planned.value = changes.filter(({ action }) => action !== "keep")
}

const backtest = async (of: StrategyFileView): Promise<void> => {
  say(["backtesting on the bot's recorded prices …"], true)
  const path = `backtest?file=${encodeURIComponent(of.file)}`
  const { bars, curve, data, fills } = await (may("trader")
    ? Api.post<typeof BacktestAnswer.Type>("backtest", edited(of).files[0])
    : Api.get<typeof BacktestAnswer.Type>(path, backtestMillis))
  const last = (values: ReadonlyArray<number>) => values.at(-1) ?? 0
  const gain = (values: ReadonlyArray<number>) => signed(last(values) - last(curve.hold))
  const range = `${gain(curve.low)} to ${gain(curve.high)} against holding`
  say([`this text over ${bars} minutes: ${countText(fills, "fill")}, ${range}`, ...data.warnings], true)
  tested.value = curve
}

const save = async (of: StrategyFileView): Promise<void> => {
  if (!(await check(of))) return
  const { file: name, hash, text } = of
  const changed = { file: name, text: edit.value ?? text, hash }
  const { message } = await Api.post<{ readonly message: string }>("apply", changed)
  edit.value = undefined
  await loadFiles()
  toast(message, files.value.some((each) => each.file === name && each.isRunning) ? "good" : "alarm")
}

const begin = (name: string): void => {
  chosen.value = name
  edit.value = undefined
  lastAnswer.value = undefined
  planned.value = undefined
}

const saidOf = ({ isRunning, problems }: StrategyFileView): Said => {
  const usual = problems.length > 0 ? problems : [isRunning ? "Live version" : "Saved, not applied"]
  return lastAnswer.value ?? { lines: usual, isGood: problems.length === 0 }
}

const Findings = (of: StrategyFileView) => {
  const { isGood, lines } = saidOf(of)
  const items = lines.map((line, index) => {
    const mistake = mistakeOf(line)
    if (mistake === undefined) return pre({ key: index }, line)
    const label = `Line ${mistake.line}, column ${mistake.column}: ${mistake.text}`
    const onClick = () => goTo(document.querySelector<HTMLTextAreaElement>("#files textarea"), mistake)
    return p({ key: index }, h(LinkButton, { label, onClick }))
  })
  return div({ class: isGood ? "findings note" : "findings note warn", role: "status" }, items)
}

const FileChoice = ({ file: chosenFile }: StrategyFileView) => {
  const options = files.value.map(({ file: name }) => {
    const selected = name === chosenFile
    return h("option", { key: name, value: name, selected }, name.split("/").at(-1))
  })
  const onChange = (event: Event) => begin(textIn(event))
  return options.length < 2 ? null : h("select", { "aria-label": "Strategy file", onChange }, options)
}

const mostRows = 50

const words = { keep: "Keep", cancel: "− Cancel", create: "+ Place", defer: "+ Place once funds are back" } as const

const money = ({ amount, asset, smallest }: Change["input"]): string => `${decimal(amount ?? smallest)} ${asset}`

const columns: ReadonlyArray<Column<Change>> = [
  column("Change", ({ action }) => words[action], "lead"),
  column("Order", ({ price, side }) => [h(Side, { side }), " at ", h(Price, { value: price })], "r"),
  column("Pays", ({ input }) => money(input), "num", "Pays"),
  column("Cost", ({ costs }) => costs.map((cost) => `${money(cost)} ${cost.what}`).join(", ") || "–", "num", "Cost"),
  column("Why", ({ reason, slot }) => span({ title: slot }, brief(reason.text)), "soft")
]

const PlannedChanges = ({ changes }: { readonly changes: ReadonlyArray<Change> }) => {
  if (changes.length === 0) return p("dim", "No order changes.")
  const keyOf = ({ action, slot, strategy }: Change) => `${action} ${strategy}/${slot}`
  const rest = changes.length - mostRows
  return section(
    "",
    h(Table<Change>, { columns, rows: changes.slice(0, mostRows), keyOf }),
    rest > 0 && p("dim", `… and ${countText(rest, "change")} more`)
  )
}

const Editor = () => {
  const of = file.value
  if (of === undefined) return p("", "No strategy file.")
  const onInput = (event: InputEvent): void => {
    edit.value = textIn(event) === of.text ? undefined : textIn(event)
    clearTimeout(timer)
    timer = setTimeout(() => check(of).catch(failed), quietMillis)
  }
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    save(of).catch(failed)
  }
  const button = (label: string, act: (of: StrategyFileView) => Promise<unknown>) =>
    h(Button, { label, onClick: () => act(of).catch(failed) })
  const mistakes = saidOf(of).lines.flatMap((line) => mistakeOf(line) ?? [])
  const text = { text: edit.value ?? of.text, mistakes }
  const area = { "aria-label": `Text of ${of.file}`, spellcheck: false, readOnly: !may("trader"), onInput }
  return h(
    "form",
    { id: "files", onSubmit },
    h(FileChoice, of),
    h(Code, { key: of.file, ...area, ...text }),
    h(Findings, of),
    planned.value !== undefined && h(PlannedChanges, { changes: planned.value }),
    div(
      "row",
      h(CloseButton, { label: "Close" }),
      button("Backtest", backtest),
      may("trader") && button("Plan", plan),
      may("operator") && h(Button, { label: "Apply", style: "solid push", isAllowed: edit.value !== undefined })
    )
  )
}

export const editFile = (strategy: string | undefined): void => {
  begin(files.value.find((each) => each.strategy === strategy)?.file ?? "")
  open({ title: "Strategy file", sub: "Nothing is written before Apply.", body: h(Editor, {}) })
}
