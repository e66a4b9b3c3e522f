/** Why a slot holds its order or none, what would change that, and what happened to it; with the button that cancels its order. */
import { h } from "preact"
import { operatorCommands } from "../../control/api/OperatorCommands.ts"
import type { Explanation } from "../../views/Explanation.ts"
import type { SlotView } from "../../views/Slots.ts"
import * as Api from "./api.ts"
import { agree, Lines } from "./commands.ts"
import { answered, CloseButton } from "./dialog.ts"
import { Button } from "./parts.ts"
import * as Store from "./store.ts"

const Reasons = ({ because, guards, lately, rule, ruleText, touched: _, wouldChange }: Explanation) => [
  h(Lines, { title: "Why this order is here", lines: because }),
  rule !== null && h("p", { class: "dim" }, `${rule} `, h("code", {}, ruleText)),
  h(Lines, { title: "What would change it", lines: wouldChange }),
  h(Lines, {
    title: "Limits that refuse",
    lines: guards.filter(({ verdict }) => verdict !== "passes").map(({ guard, text }) => `${guard}: ${text}`)
  }),
  h(Lines, { title: "History", lines: lately })
]

const over: ReadonlySet<string> = new Set(["empty", "frozen", "cancelling"])

export const explain = ({ slot, state }: SlotView): Promise<void> => {
  const { cancel } = operatorCommands
  const answer = async () => {
    const [explanation] = await Api.get<ReadonlyArray<Explanation>>(`explain?slot=${encodeURIComponent(slot)}`)
    const body =
      explanation === undefined ? h("p", {}, "The bot knows nothing about this slot.") : h(Reasons, explanation)
    const mayCancel = !over.has(state) && Store.may(cancel.role)
    const foot = [
      mayCancel && h(Button, { label: cancel.title, onClick: () => agree("cancel", { slot }) }),
      h(CloseButton, { label: "Close" })
    ]
    return { sub: explanation?.verdict, body, foot }
  }
  return answered({ title: slot, isDrawer: true }, "Reading the journal …", answer())
}
