/** The strategy files: edit, see the problems and the plan, apply. Nothing is written before "Apply". */
import type { StrategyFileView } from "../../control/api/Files.ts"
import type { BacktestAnswer } from "../../views/Backtest.ts"
import type { Plan } from "../../views/Plan.ts"
import * as Api from "./api.ts"
import { byId, h, messageOf, toast } from "./dom.ts"
import { signed } from "./format.ts"

export type Band = (typeof BacktestAnswer.Type)["curve"]

export interface Actions {
  readonly mayPlan: boolean
  readonly mayApply: boolean
  readonly backtested: (band: Band) => void
}

const quietMillis = 400
const backtestMillis = 300_000

let files: ReadonlyArray<StrategyFileView> = []
let chosen = 0
let isDirty = false

export const loadFiles = async (actions: Actions): Promise<void> => {
  if (isDirty) return
  const listing = await Api.get<ReadonlyArray<StrategyFileView>>("files")
  if (JSON.stringify(listing) === JSON.stringify(files)) return
  files = listing
  draw(actions)
}

interface Editor {
  readonly file: StrategyFileView
  readonly text: HTMLTextAreaElement
  readonly say: (lines: ReadonlyArray<string>, isGood: boolean) => void
}

const edited = ({ file: { file }, text }: Editor) => ({ files: [{ file, text: text.value }] })

const check = async (editor: Editor): Promise<boolean> => {
  const { problems } = await Api.post<{ readonly problems: ReadonlyArray<string> }>("check", edited(editor))
  editor.say(problems.length > 0 ? problems : ["No problems. Plan, then apply."], problems.length === 0)
  return problems.length === 0
}

const plan = async (editor: Editor): Promise<void> => {
  editor.say(["planning …"], true)
  const { refused, summary } = await Api.post<typeof Plan.Type>("plan", edited(editor))
  const { cancel, create, defer, keep } = summary
  editor.say(
    [
      `${keep} kept, ${cancel} cancelled, ${create} placed, ${defer} placed once funds are back`,
      ...(refused.length > 0 ? [`warnings: ${refused.join(", ")}`] : [])
    ],
    refused.length === 0
  )
}

const backtest = async ({ file, say }: Editor, actions: Actions): Promise<void> => {
  say(["backtesting on the bot's recorded prices …"], true)
  const { bars, curve, data, fills } = await Api.get<typeof BacktestAnswer.Type>(
    `backtest?file=${encodeURIComponent(file.file)}`,
    backtestMillis
  )
  const last = (values: ReadonlyArray<number>) => values.at(-1) ?? 0
  const gain = (values: ReadonlyArray<number>) => signed(last(values) - last(curve.hold))
  say(
    [
      `the file on disk over ${bars} minutes: ${fills} fills, ${gain(curve.low)} to ${gain(curve.high)} against holding`,
      "Shaded: backtest range",
      ...data.warnings
    ],
    true
  )
  actions.backtested(curve)
}

const save = async (editor: Editor, actions: Actions): Promise<void> => {
  if (!(await check(editor))) return
  const { file, hash } = editor.file
  const { message } = await Api.post<{ readonly message: string }>("apply", { file, text: editor.text.value, hash })
  isDirty = false
  await loadFiles(actions)
  toast(message, files.some(({ file: name, isRunning }) => name === file && isRunning) ? "good" : "alarm")
}

const draw = (actions: Actions): void => {
  const { mayApply, mayPlan } = actions
  const file = files[chosen] ?? files[0]
  if (file === undefined) return byId("files").replaceChildren(h("p", { class: "empty" }, "No strategy file."))
  const text = h(
    "textarea",
    { spellcheck: "false", "aria-label": `Text of ${file.file}`, readonly: !mayPlan },
    file.text
  )
  text.value = file.text
  const findings = h("pre", { class: "findings", role: "status" })
  const say = (lines: ReadonlyArray<string>, isGood: boolean) => {
    findings.className = isGood ? "findings good" : "findings"
    findings.textContent = lines.join("\n")
  }
  say(
    file.problems.length > 0 ? file.problems : [file.isRunning ? "Live version" : "Saved, not applied"],
    file.problems.length === 0
  )
  const editor: Editor = { file, text, say }
  const failed = (error: unknown) => say([messageOf(error)], false)
  const apply = h("button", { type: "submit", class: "primary", disabled: true }, "Apply")
  let timer: ReturnType<typeof setTimeout> | undefined
  text.addEventListener("input", () => {
    isDirty = text.value !== file.text
    apply.disabled = !isDirty
    clearTimeout(timer)
    timer = setTimeout(() => check(editor).catch(failed), quietMillis)
  })
  const form = h(
    "form",
    {},
    h(
      "div",
      { class: "tools" },
      choiceOf(file, actions),
      h("button", { type: "button", click: () => backtest(editor, actions).catch(failed) }, "Backtest"),
      mayPlan && h("button", { type: "button", click: () => plan(editor).catch(failed) }, "Plan"),
      mayApply && apply
    ),
    text,
    findings
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    save(editor, actions).catch(failed)
  })
  byId("files").replaceChildren(form)
}

const choiceOf = (file: StrategyFileView, actions: Actions): HTMLSelectElement => {
  const select = h(
    "select",
    { "aria-label": "Strategy file" },
    files.map((each, index) =>
      h("option", { value: index, selected: each === file }, each.file.split("/").at(-1) ?? each.file)
    )
  )
  select.addEventListener("change", () => {
    chosen = Number(select.value)
    isDirty = false
    draw(actions)
  })
  return select
}
