/** The strategy files: edit, see the problems and the plan, apply. Nothing is written before "Apply". */
import type { StrategyFileView } from "../../control/api/Files.ts"
import type { BacktestAnswer } from "../../views/Backtest.ts"
import type { Plan } from "../../views/Plan.ts"
import * as Api from "./api.ts"
import { byId, h, messageOf, toast } from "./dom.ts"
import { signed } from "./format.ts"

export type Band = (typeof BacktestAnswer.Type)["curve"]

export interface Actions {
  readonly mayCommand: boolean
  /** A backtest of a running file was made: draw its band over what is live. */
  readonly backtested: (band: Band) => void
}

/** After the last key: then the problems are asked for. */
const quietMillis = 400
/** Over all prices that the bot has seen. */
const backtestMillis = 300_000

let files: ReadonlyArray<StrategyFileView> = []
let chosen = 0
let isDirty = false

export const loadFiles = async (actions: Actions): Promise<void> => {
  if (isDirty) return
  const found = await Api.get<ReadonlyArray<StrategyFileView>>("files")
  if (JSON.stringify(found) === JSON.stringify(files)) return
  files = found
  draw(actions)
}

const draw = (actions: Actions): void => {
  const { mayCommand } = actions
  const file = files[chosen] ?? files[0]
  if (file === undefined) return byId("files").replaceChildren(h("p", { class: "empty" }, "No strategy file."))
  const text = h(
    "textarea",
    { spellcheck: "false", "aria-label": `Text of ${file.file}`, readonly: !mayCommand },
    file.text
  )
  text.value = file.text
  const findings = h("pre", { class: "findings", role: "status" })
  const say = (lines: ReadonlyArray<string>, isGood: boolean) => {
    findings.className = isGood ? "findings good" : "findings"
    findings.textContent = lines.join("\n")
  }
  say(
    file.problems.length > 0 ? file.problems : [file.isRunning ? "as it runs" : "not taken up yet"],
    file.problems.length === 0
  )
  const edited = () => ({ files: [{ file: file.file, text: text.value }] })
  const failed = (error: unknown) => say([messageOf(error)], false)

  const check = async (): Promise<boolean> => {
    const { problems } = await Api.post<{ readonly problems: ReadonlyArray<string> }>("check", edited())
    say(problems.length > 0 ? problems : ["no problems; plan it, then apply it"], problems.length === 0)
    return problems.length === 0
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  text.addEventListener("input", () => {
    isDirty = text.value !== file.text
    apply.disabled = !isDirty
    clearTimeout(timer)
    timer = setTimeout(() => check().catch(failed), quietMillis)
  })
  const plan = async (): Promise<void> => {
    say(["planning …"], true)
    const { refused, summary } = await Api.post<typeof Plan.Type>("plan", edited())
    const { cancel, create, defer, keep } = summary
    say(
      [
        `keeps ${keep}, cancels ${cancel}, creates ${create}, defers ${defer}`,
        ...(refused.length > 0 ? [`warned of: ${refused.join(", ")}`] : [])
      ],
      refused.length === 0
    )
  }
  const backtest = async (): Promise<void> => {
    say(["running over the prices that the bot has seen …"], true)
    const { bars, curve, data, fills } = await Api.get<typeof BacktestAnswer.Type>(
      `backtest?file=${encodeURIComponent(file.file)}`,
      backtestMillis
    )
    const last = (values: ReadonlyArray<number>) => values.at(-1) ?? 0
    const gain = (values: ReadonlyArray<number>) => signed(last(values) - last(curve.hold))
    say(
      [
        `the file on disk over ${bars} minutes: ${fills} fills, ${gain(curve.low)} to ${gain(curve.high)} against holding`,
        "the band is drawn over the live line",
        ...data.warnings
      ],
      true
    )
    actions.backtested(curve)
  }
  const save = async (): Promise<void> => {
    if (!(await check())) return
    const { message } = await Api.post<{ readonly message: string }>("apply", {
      file: file.file,
      text: text.value,
      hash: file.hash
    })
    isDirty = false
    await loadFiles(actions)
    toast(message, files.some(({ file: name, isRunning }) => name === file.file && isRunning) ? "good" : "alarm")
  }
  const apply = h("button", { type: "submit", class: "primary", disabled: true }, "Apply")
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
  const form = h(
    "form",
    {},
    h(
      "div",
      { class: "tools" },
      select,
      h("button", { type: "button", click: () => backtest().catch(failed) }, "Backtest"),
      mayCommand && h("button", { type: "button", click: () => plan().catch(failed) }, "Plan"),
      mayCommand && apply
    ),
    text,
    findings
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    save().catch(failed)
  })
  byId("files").replaceChildren(form)
}
