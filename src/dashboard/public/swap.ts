/** A swap by hand: the venue's quote is shown first, and taken only for a typed word. */
import { closeButton, command, dialog, open } from "./actions.ts"
import * as Api from "./api.ts"
import { h, toast } from "./dom.ts"

interface Offer {
  readonly quote: string
  readonly until: number
  readonly pay: string
  readonly receive: string
  readonly terms: ReadonlyArray<string>
}

/** Asks what to swap, until there is a quote or nobody wants one. */
export const swap = (): void => {
  const field = (label: string, placeholder: string) =>
    h("input", { type: "text", autocomplete: "off", required: true, placeholder, "aria-label": label })
  const [amount, from, to] = [field("Amount", "0.01"), field("Pay with", "BTC"), field("Receive", "USDC")]
  const ask = h("button", { type: "submit", class: "primary" }, "Quote")
  const form = h(
    "form",
    { method: "dialog" },
    h("p", {}, "The bot pays from its account and is paid to it. Budgets of strategies do not grow or shrink."),
    h("label", {}, "Amount", amount),
    h("label", {}, "Pay with", from),
    h("label", {}, "Receive", to),
    h("div", { class: "row" }, closeButton("Back"), ask)
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    ask.disabled = true
    const wish = { amount: amount.value.trim(), from: from.value.trim(), to: to.value.trim() }
    Api.post<Offer>("swap/quote", wish)
      .then(agree)
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), "alarm"))
      .finally(() => {
        ask.disabled = false
      })
  })
  open("Swap", form)
  amount.focus()
}

const agree = ({ pay, quote, receive, terms, until }: Offer): void => {
  const typed = h("input", { type: "text", autocomplete: "off", "aria-label": "Type swap" })
  const go = h("button", { type: "submit", class: "danger solid", disabled: true }, "Swap")
  typed.addEventListener("input", () => {
    go.disabled = typed.value !== "swap"
  })
  const form = h(
    "form",
    { method: "dialog" },
    h("p", {}, `Pay ${pay}, receive about ${receive}. The quote holds until ${new Date(until).toLocaleTimeString()}.`),
    h("pre", {}, terms.join("\n")),
    h("label", {}, "Type “swap” to confirm", typed),
    h("div", { class: "row" }, closeButton("Keep everything"), go)
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (typed.value !== "swap") return
    dialog().close()
    command("swap", { quote, confirm: "swap" })
  })
  open("Swap", form)
  typed.focus()
}
