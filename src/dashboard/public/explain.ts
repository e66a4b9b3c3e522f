/** Why a slot holds its order or none, what would change that, and what happened to it; with the button that cancels its order. */
import { h } from "preact"
import type { Explanation } from "../../views/Explanation.ts"
import type { SlotView } from "../../views/Slots.ts"
import * as Api from "./api.ts"
import { CommandButton, Lines } from "./commands.ts"
import { answered, CloseButton } from "./dialog.ts"
import { p } from "./tags.ts"

const Reasons = ({ because, guards, lately, rule, ruleText, wouldChange }: Explanation) => [
  h(Lines, { title: "Why this order is here", lines: because }),
  rule !== null && p("dim", `${rule} `, h("code", {}, ruleText)),
  h(Lines, { title: "What would change it", lines: wouldChange }),
  h(Lines, {
    title: "Limits that refuse",
    lines: guards.filter(({ verdict }) => verdict !== "passes").map(({ guard, text }) => `${guard}: ${text}`)
  }),
  h(Lines, { title: "History", lines: lately })
]

const over: ReadonlySet<string> = new Set(["empty", "frozen", "cancelling"])

export const explain = ({ slot, state }: SlotView): Promise<void> => {
  const answer = async () => {
    const [explanation] = await Api.get<ReadonlyArray<Explanation>>(`explain?slot=${encodeURIComponent(slot)}`)
    const body = explanation === undefined ? p("", "The bot knows nothing about this slot.") : h(Reasons, explanation)
    const cancel = over.has(state) ? null : h(CommandButton, { name: "cancel", payload: { slot } })
    return { sub: explanation?.verdict, body, foot: [cancel, h(CloseButton, { label: "Close" })] }
  }
  return answered({ title: slot, isDrawer: true }, "Reading the journal …", answer())
}
