/** The operator's commands on the page: each asks for confirmation, the grave ones for a typed word, and shows its result. */
import { useSignal } from "@preact/signals"
import { h } from "preact"
import { type CommandName, commandOf, operatorWords } from "../../control/api/OperatorCommands.ts"
import type { OrderAnswer } from "../../control/api/Order.ts"
import type { SwapOffer } from "../../control/api/Swap.ts"
import type { ProblemView } from "../../views/Problems.ts"
import type { Reconciliation } from "../../views/Reconciliation.ts"
import * as Api from "./api.ts"
import { answered, CloseButton, close, failed, open, toast } from "./dialog.ts"
import { brief, clock, countText } from "./format.ts"
import { Button, type ButtonProps, type Child, Field } from "./parts.ts"
import * as Store from "./store.ts"
import { div, h3, li, p, pre, section, span, ul } from "./tags.ts"

interface Done {
  readonly message: string
  readonly notTold?: ReadonlyArray<string>
}
type Payload = Readonly<Record<string, unknown>>

export const command = async (path: string, payload: Payload, key?: string): Promise<void> => {
  close()
  try {
    const { message, notTold = [] } = await Api.post<Done>(path, payload, key)
    toast(message, notTold.length === 0 ? "good" : "alarm")
  } catch (error) {
    failed(error)
  }
}

export const typedInto = (target: { value: string }) => (event: Event) => {
  target.value = textIn(event)
}

const whyField = (why: { value: string }) => {
  const words = { placeholder: "Reason (optional)", "aria-label": "Why" }
  return h("input", { type: "text", maxlength: 500, ...words, onInput: typedInto(why) })
}
const whyIn = ({ value }: { readonly value: string }): Payload => (value === "" ? {} : { why: value })
export const textIn = ({ target }: Event): string =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    ? target.value
    : ""

const Confirmation = ({ done, hasWhy, means, title, word }: ConfirmationProps) => {
  const [typed, why] = [useSignal(""), useSignal("")]
  const submit = (event: Event): void => {
    event.preventDefault()
    if (typed.value === word) done(whyIn(why))
  }
  return h(
    "form",
    { onSubmit: submit },
    means,
    h(Field, {
      label: `Type “${word}” to confirm`,
      autofocus: true,
      "aria-label": `Type ${word}`,
      onInput: typedInto(typed)
    }),
    hasWhy && whyField(why),
    div(
      "row",
      h(CloseButton, { label: "Cancel" }),
      h(Button, { label: title, style: "solid push", isAllowed: typed.value === word })
    )
  )
}
interface ConfirmationProps {
  readonly title: string
  readonly word: string
  readonly means: Child
  readonly hasWhy: boolean
  readonly done: (why: Payload) => void
}

const agree = (path: CommandName, payload: Payload = {}, about = Object.values(payload).join(" ")): void => {
  const { confirm, means, title: name } = commandOf(path)
  const title = `${name} ${about}`.trim()
  if (confirm !== undefined) {
    const done = (why: Payload) => command(path, { ...payload, confirm, ...why })
    const { openOrders } = Store.status.value ?? {}
    const orders = openOrders === undefined ? "" : ` Open now: ${countText(openOrders, "order")}.`
    const body = h(Confirmation, { key: title, title, word: confirm, means: p("", means, orders), hasWhy: true, done })
    return open({ title: `${title}?`, body })
  }
  const yes = { label: name, style: "solid push", onClick: () => command(path, payload) }
  open({ title: `${title}?`, body: p("", means), foot: [h(CloseButton, { label: "Back" }), h(Button, yes)] })
}

/** The button of a command, for those who may use it. It asks first, unless it lets strategies of this bot trade again. */
export const CommandButton = ({ about, isAllowed, name, payload = {}, ...more }: CommandProps) => {
  const { role, title } = commandOf(name)
  const onClick = () =>
    name === "resume" && about === undefined ? command(name, payload) : agree(name, payload, about)
  return h(Button, { label: title, isAllowed: isAllowed ?? Store.may(role), onClick, ...more })
}
interface CommandProps extends Omit<ButtonProps, "name" | "onClick" | "isOn"> {
  readonly name: CommandName
  readonly payload?: Payload
  /** Words for what it is about, if the payload does not say it. */
  readonly about?: string
}

export const Lines = ({ lines, title }: { readonly title: string; readonly lines: ReadonlyArray<string> }) => {
  const items = lines.map((line, index) => li({ key: index }, brief(line)))
  return lines.length === 0 ? null : section("", h3("", title), ul("pts", items))
}

export const reconcile = (): Promise<void> => {
  const waiting = "Comparing the journal with the venue's orders, history and balances …"
  const answer = async () => {
    const { findings, missing } = await Api.post<typeof Reconciliation.Type>("reconcile", {})
    const differing = findings.filter(({ verdict }) => verdict !== "agrees")
    const lines = differing.map(
      ({ kind, subject, text, verdict }) => `${verdict.toUpperCase()} ${kind} ${subject}: ${text}`
    )
    return {
      body: [
        p("", `${findings.length - differing.length} findings agree, ${differing.length} differ.`),
        h(Lines, { title: "Differing", lines }),
        h(Lines, { title: "Not compared", lines: missing })
      ]
    }
  }
  return answered({ title: "Reconcile" }, waiting, answer())
}

const Resolution = ({ path, resolve, text }: ResolutionProps) => {
  const why = useSignal("")
  const { evidence, placement, words } = resolve
  const choices = words.map((word) => {
    const { means, title } = operatorWords[word]
    const say = () => command(path, { placement, word, ...whyIn(why) })
    return p({ key: word, class: "choice" }, h(Button, { label: title, onClick: say }), span("dim", `${means}.`))
  })
  return [
    p("", brief(text)),
    p("dim", "Look it up first: the venue's history, the account's balance, the chain's explorer."),
    section("", h3("", `Evidence, ${placement}`), pre("note", evidence)),
    choices.length === 0 ? p("", "It can still be executed. Come back in some minutes.") : [whyField(why), ...choices]
  ]
}
interface ResolutionProps {
  readonly text: string
  readonly resolve: NonNullable<ProblemView["resolve"]>
  readonly path: string
}

export const resolveProblem = ({ resolve, subject, text }: ProblemView, path = "resolve"): void => {
  if (resolve === null) return
  const body = h(Resolution, { key: resolve.placement, text, resolve, path })
  open({ title: `Resolve ${subject}`, body, foot: h(CloseButton, { label: "Not now" }) })
}

/** The page shows the journal's name and the prices already. */
const planText = (terms: ReadonlyArray<string>): string =>
  brief(terms.join("\n"))
    .replace(/^Against the journal .*\n/, "")
    .replace(/^PRICES[\s\S]*?\n\n/m, "")

/** Shows the plan with its costs, and carries it out if the reader agrees. An order of `all` gets the amount of the plan. */
export const confirmPlan = (title: string, path: string, payload: Payload, key?: string, back = close) => {
  const foot = h(Button, { label: "Back", onClick: back })
  const answer = async () => {
    const { amount, terms = [] } = await Api.post<Partial<OrderAnswer>>(path, { ...payload, dry: true }, key)
    const sized = "amount" in payload ? { ...payload, amount } : payload
    const yes = { label: title, style: "solid push", onClick: () => command(path, sized, key) }
    return { body: pre("note plan", planText(terms)), foot: [foot, h(Button, yes)] }
  }
  return answered({ title: `${title}?`, foot }, "Planning …", answer())
}

interface Question {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly value?: string
  readonly isOptional?: boolean
}

export const askFor = (
  title: string,
  label: string,
  questions: ReadonlyArray<Question>,
  about: Child,
  done: Answered
): void => {
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.target instanceof HTMLFormElement ? event.target : undefined
    const words = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const)
    done(Object.fromEntries(words.filter(([, word]) => word !== "")))
  }
  const inputs = questions.map(({ isOptional = false, ...field }, index) =>
    h(Field, { key: field.name, autofocus: index === 0, required: !isOptional, ...field })
  )
  const row = div("row", h(CloseButton, { label: "Back" }), h(Button, { label, style: "solid push" }))
  open({ title, body: h("form", { onSubmit }, p("", about), inputs, row) })
}
type Answered = (words: Readonly<Record<string, string>>) => void

export const swap = (): void => {
  const fields = [
    { name: "amount", label: "Amount", placeholder: "0.01" },
    { name: "from", label: "Pay with", placeholder: "BTC" },
    { name: "to", label: "Receive", placeholder: "USDC" }
  ]
  const about = "The bot pays from its account and receives to it. Strategy budgets do not change."
  const quote: Answered = (words) => void Api.post<SwapOffer>("swap/quote", words).then(agreeToSwap, failed)
  askFor("Swap", "Quote", fields, about, quote)
}

const agreeToSwap = ({ pay, quote, receive, terms, until }: SwapOffer): void => {
  const means = [
    p("", `Pay ${pay}, receive about ${receive}. The quote holds until ${clock(until)}.`),
    pre("note", brief(terms.join("\n")))
  ]
  const done = () => command("swap", { quote, confirm: "swap" })
  const body = h(Confirmation, { key: quote, title: "Swap", word: "swap", means, hasWhy: false, done })
  open({ title: "Swap?", body })
}
