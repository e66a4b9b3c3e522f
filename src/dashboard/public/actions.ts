/** The operator's commands on the page: each asks for confirmation, the grave ones for a typed word, and shows its result. */
import { type CommandName, commandOf, operatorWords } from "../../control/api/OperatorCommands.ts"
import type { SwapOffer } from "../../control/api/Swap.ts"
import type { Explanation } from "../../views/Explanation.ts"
import type { ProblemView } from "../../views/Problems.ts"
import type { Reconciliation } from "../../views/Reconciliation.ts"
import * as Api from "./api.ts"
import { byId, h, messageOf, toast } from "./dom.ts"

const dialog = (): HTMLDialogElement => {
  const element = byId("dialog")
  if (!(element instanceof HTMLDialogElement)) throw new Error("#dialog is not a dialog")
  return element
}

export const open = (title: string, ...content: ReadonlyArray<Node>): HTMLDialogElement => {
  const box = dialog()
  box.replaceChildren(h("h2", { id: "dialog-title" }, title), ...content)
  if (!box.open) box.showModal()
  return box
}

export const closeButton = (label: string) => h("button", { type: "button", click: () => dialog().close() }, label)

interface Done {
  readonly message: string
  readonly notTold?: ReadonlyArray<string>
}

export const command = async (path: string, payload: unknown): Promise<boolean> => {
  try {
    const { message, notTold = [] } = await Api.post<Done>(path, payload)
    toast(message, notTold.length === 0 ? "good" : "alarm")
    return true
  } catch (error) {
    toast(messageOf(error), "alarm")
    return false
  }
}

const confirmTyped = (
  title: string,
  word: string,
  shown: ReadonlyArray<Node>,
  below: ReadonlyArray<Node>,
  done: () => void
): void => {
  const typed = h("input", { type: "text", autocomplete: "off", "aria-label": `Type ${word}` })
  const go = h("button", { type: "submit", class: "danger solid", disabled: true }, title)
  typed.addEventListener("input", () => {
    go.disabled = typed.value !== word
  })
  const form = h(
    "form",
    { method: "dialog" },
    ...shown,
    h("label", {}, `Type “${word}” to confirm`, typed),
    ...below,
    h("div", { class: "row" }, closeButton("Cancel"), go)
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (typed.value !== word) return
    dialog().close()
    done()
  })
  open(title, form)
  typed.focus()
}

const whyField = () =>
  h("input", { type: "text", maxlength: 500, placeholder: "Reason (optional)", "aria-label": "Why" })
const whyIn = ({ value }: HTMLInputElement) => (value === "" ? {} : { why: value })

export const agree = (path: CommandName, payload: Readonly<Record<string, string>> = {}): void =>
  agreeTo(path, payload, Object.values(payload).join(" "))

export const agreeTo = (path: CommandName, payload: Readonly<Record<string, unknown>>, about: string): void => {
  const { confirm, means, title: name } = commandOf(path)
  const title = `${name} ${about}`.trim()
  if (confirm !== undefined) {
    const why = whyField()
    return confirmTyped(title, confirm, [h("p", {}, means)], [why], () =>
      command(path, { ...payload, confirm, ...whyIn(why) })
    )
  }
  const yes = h(
    "button",
    {
      type: "button",
      class: "primary",
      click: () => {
        dialog().close()
        command(path, payload)
      }
    },
    name
  )
  open(title, h("p", {}, means), h("div", { class: "row" }, closeButton("Back"), yes))
  yes.focus()
}

const section = (title: string, lines: ReadonlyArray<string> | undefined): ReadonlyArray<Node> =>
  lines === undefined || lines.length === 0 ? [] : [h("div", { class: "label" }, title), h("pre", {}, lines.join("\n"))]

const answered = async (title: string, waiting: string, answer: Promise<ReadonlyArray<Node>>): Promise<void> => {
  open(title, h("p", { class: "soft" }, waiting), closeButton("Close"))
  try {
    open(title, ...(await answer), h("div", { class: "row" }, closeButton("Close")))
  } catch (error) {
    open(title, h("p", { class: "alarm" }, messageOf(error)), closeButton("Close"))
  }
}

export const explain = (slot: string): Promise<void> => {
  const explanations = Api.get<ReadonlyArray<Explanation>>(`explain?slot=${encodeURIComponent(slot)}`)
  const explanationNodes = ([each]: ReadonlyArray<Explanation>): ReadonlyArray<Node> =>
    each === undefined
      ? []
      : [
          h("p", {}, each.verdict),
          ...section("because", each.because),
          ...section("what would change it", each.wouldChange),
          ...section("lately", each.lately)
        ]
  return answered(slot, "Reading the journal…", explanations.then(explanationNodes))
}

export const reconcile = (): Promise<void> => {
  const findingNodes = ({ findings, missing }: typeof Reconciliation.Type): ReadonlyArray<Node> => {
    const differing = findings.filter(({ verdict }) => verdict !== "agrees")
    return [
      h("p", {}, `${findings.length - differing.length} findings agree, ${differing.length} differ.`),
      ...section(
        "differing",
        differing.map(({ kind, subject, text, verdict }) => `${verdict.toUpperCase()} ${kind} ${subject}: ${text}`)
      ),
      ...section("not compared", missing)
    ]
  }
  const waiting = "Comparing the journal with the venue's orders, history and balances …"
  return answered("Reconcile", waiting, Api.post<typeof Reconciliation.Type>("reconcile", {}).then(findingNodes))
}

export const resolveProblem = ({ resolve, subject, text }: ProblemView, path = "resolve"): void => {
  if (resolve === null) return
  const { evidence, placement, words } = resolve
  const why = whyField()
  const say = (word: string) => {
    dialog().close()
    command(path, { placement, word, ...whyIn(why) })
  }
  const choices = words.map((word) => {
    const { means, title } = operatorWords[word]
    return h(
      "div",
      { class: "choice" },
      h("button", { type: "button", click: () => say(word) }, title),
      h("span", { class: "soft" }, `${means}.`)
    )
  })
  open(
    `Resolve ${subject}`,
    h("p", {}, text),
    h("p", { class: "soft" }, "Look it up first: the venue's history, the account's balance, the chain's explorer."),
    ...section(`evidence, ${placement}`, [evidence]),
    ...(choices.length === 0
      ? [h("p", {}, "It can still be executed. Come back in some minutes.")]
      : [why, ...choices]),
    h("div", { class: "row" }, closeButton("Not now"))
  )
}

export const swap = (): void => {
  const field = (label: string, placeholder: string) =>
    h("input", { type: "text", autocomplete: "off", required: true, placeholder, "aria-label": label })
  const [amount, from, to] = [field("Amount", "0.01"), field("Pay with", "BTC"), field("Receive", "USDC")]
  const ask = h("button", { type: "submit", class: "primary" }, "Quote")
  const form = h(
    "form",
    { method: "dialog" },
    h("p", {}, "The bot pays from its account and receives to it. Strategy budgets do not change."),
    h("label", {}, "Amount", amount),
    h("label", {}, "Pay with", from),
    h("label", {}, "Receive", to),
    h("div", { class: "row" }, closeButton("Back"), ask)
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    ask.disabled = true
    const wish = { amount: amount.value.trim(), from: from.value.trim(), to: to.value.trim() }
    Api.post<SwapOffer>("swap/quote", wish)
      .then(agreeToSwap)
      .catch((error: unknown) => toast(messageOf(error), "alarm"))
      .finally(() => {
        ask.disabled = false
      })
  })
  open("Swap", form)
  amount.focus()
}

const agreeToSwap = ({ pay, quote, receive, terms, until }: SwapOffer): void => {
  const holds = `The quote holds until ${new Date(until).toLocaleTimeString()}.`
  const offerNodes = [h("p", {}, `Pay ${pay}, receive about ${receive}. ${holds}`), h("pre", {}, terms.join("\n"))]
  confirmTyped("Swap", "swap", offerNodes, [], () => command("swap", { quote, confirm: "swap" }))
}

export const login = (reason: string): void => {
  const where = h("p", { class: "soft" }, "It is in the file <journal>.token.")
  Api.whereToken().then(
    (said) => {
      where.textContent = said
    },
    () => undefined
  )
  const token = h("input", { type: "password", autocomplete: "off", "aria-label": "Token", required: true })
  const form = h(
    "form",
    {},
    h("p", {}, reason),
    where,
    h("p", { class: "soft" }, "Kept until you close this tab."),
    h("label", {}, "Token", token),
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Open"))
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    Api.setToken(token.value.trim())
    location.reload()
  })
  const loginDialog = open("limitbot", form)
  loginDialog.addEventListener("cancel", (event) => event.preventDefault())
  token.focus()
}
