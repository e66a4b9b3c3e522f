/** The parts that every panel is made of: money with its exact value, figures, chips, icons, choices and tables. */
import { useSignal } from "@preact/signals"
import { type ButtonHTMLAttributes, type ComponentChildren, Fragment, h, type InputHTMLAttributes } from "preact"
import { cents, decimal, gain, price, toneOf } from "./format.ts"
import { b, div, h2, header, p, section, small, span, tr } from "./tags.ts"

export type Child = ComponentChildren

const warning =
  "M7 0a1.2 1.2 0 0 1 1 .6l5.8 10A1.5 1.5 0 0 1 12.5 13h-11A1.5 1.5 0 0 1 .2 10.6l5.8-10A1.2 1.2 0 0 1 7 0zM6.2 4v4h1.6V4zm0 5.2v1.6h1.6V9.2z"
const dots = [0, 6, 12].map((x) => `M${x} 2a2 2 0 1 0 4 0a2 2 0 1 0-4 0`).join("")

const icons = {
  live: ["0 0 8 8", "M4 0a4 4 0 1 1 0 8a4 4 0 0 1 0-8z", "fill"],
  paused: ["0 0 9 10", "M0 0h3v10H0zM6 0h3v10H6z", "fill"],
  killed: ["0 0 14 14", "M7 1v5.5M3.6 3.3a5.2 5.2 0 1 0 6.8 0", "line"],
  stopping: ["0 0 10 10", "M1 1h8v8H1z", "line"],
  gone: ["0 0 12 12", "M1 11 11 1M2 4.5a6 6 0 0 1 3-2M10 4.5 8.5 3.6M4.5 8a2.6 2.6 0 0 1 3 0", "line"],
  warn: ["0 0 14 13", warning, "fill"],
  theme: ["0 0 14 14", "M7 0a7 7 0 1 1 0 14A7 7 0 0 1 7 0zM7 1.5a5.5 5.5 0 0 0 0 11z", "fill"],
  close: ["0 0 12 12", "M1 1l10 10M11 1L1 11", "line"],
  more: ["0 0 16 4", dots, "fill"]
} as const
export type IconName = keyof typeof icons
export type ChipKind = Exclude<IconName, "theme" | "close" | "more">

export const Icon = ({ name }: { readonly name: IconName }) => {
  const [viewBox, d, style] = icons[name]
  const [, , width, height] = viewBox.split(" ")
  return h("svg", { class: `icon ${style}`, viewBox, width, height, "aria-hidden": "true" }, h("path", { d }))
}

interface ChipProps {
  readonly kind: ChipKind
  readonly children?: Child
  readonly style?: string
  readonly id?: string
}
export const Chip = ({ kind, children, style = "", id }: ChipProps) =>
  span({ class: `chip ${kind} ${style}`, id }, h(Icon, { name: kind }), children)

export interface ButtonProps {
  readonly label?: Child
  /** In words, if the label does not say what it is about. */
  readonly name?: string
  /** Without it, the button submits its form. */
  readonly onClick?: () => unknown
  readonly isAllowed?: boolean
  readonly isOn?: boolean
  readonly icon?: IconName
  readonly id?: string
  readonly style?: string
}
export const Button = ({ icon, id, isAllowed = true, isOn, label, name, onClick, style = "" }: ButtonProps) => {
  const type = onClick === undefined ? "submit" : "button"
  const state = { disabled: !isAllowed, "aria-pressed": isOn?.toString(), "aria-label": name }
  return h("button", { type, id, class: `btn ${style}`, onClick, ...state }, icon && h(Icon, { name: icon }), label)
}

export const LinkButton = ({ label, ...attributes }: ButtonHTMLAttributes & { readonly label: string }) =>
  h("button", { type: "button", class: "link", ...attributes }, label)

export const Field = ({ label, ...attributes }: InputHTMLAttributes & { readonly label: string }) =>
  h("label", { class: "field" }, label, h("input", { type: "text", autocomplete: "off", ...attributes }))

export const Spark = ({ of }: { readonly of: ReadonlyArray<number> }) => {
  const [low, high] = [Math.min(0, ...of), Math.max(0, ...of)]
  const y = (value: number): string => (36 - ((value - low) / (high - low || 1)) * 32).toFixed(1)
  const point = (value: number, index: number) => `${((index / (of.length - 1)) * 128).toFixed(1)} ${y(value)}`
  const last = (of.at(-1) ?? 0).toFixed(2)
  const label = `Profit over time; it ends at ${gain(last)}`
  const box = { class: `spark ${toneOf(last)}`, viewBox: "0 0 128 40", role: "img", "aria-label": label }
  const zero = h("path", { class: "zero", d: `M0 ${y(0)}H128` })
  return of.length < 2 ? null : h("svg", box, zero, h("path", { d: `M${of.map(point).join("L")}` }))
}

export const useToggle = (): readonly [isOn: boolean, toggle: () => void] => {
  const isOn = useSignal(false)
  const toggle = (): void => {
    isOn.value = !isOn.value
  }
  return [isOn.value, toggle]
}

interface MoneyProps {
  readonly value: string | null
  readonly asset?: string
  /** A profit has a sign and a colour. */
  readonly profit?: boolean
}
/** Money to cents; the exact amount is shown on hover. */
export const Money = ({ asset = "", profit = false, value }: MoneyProps) => {
  if (value === null) return span("dim", "–")
  const title = `${decimal(value)} ${asset}`.trim()
  return span({ class: profit ? toneOf(value) : "", title }, profit ? gain(value) : cents(value))
}

/** The one large figure of a page, with sentences below it. */
export const hero = (title: string, asset: string, value: string | null, ...sentences: ReadonlyArray<Child>) =>
  div(
    "hero",
    h2({ id: "t-profit" }, title),
    p(`hero-n ${toneOf(value)}`, h(Money, { value, asset, profit: true }), small("", ` ${asset}`)),
    sentences
  )

export const Price = ({ value }: { readonly value: string }) => span({ title: decimal(value) }, price(value))

export const Side = ({ side }: { readonly side: string }) =>
  side === "" ? null : span(side === "BUY" ? "side buy" : "side sell", side === "BUY" ? "Buy" : "Sell")

export const Figures = ({ of }: { readonly of: ReadonlyArray<readonly [label: string, value: Child]> }) =>
  of.map(([label, value]) => div({ key: label }, h("dt", {}, label), h("dd", {}, value)))

interface ChoicesProps {
  readonly label: string
  readonly names: ReadonlyArray<string>
  readonly chosen: string
  readonly pick: (name: string) => void
}
export const Choices = ({ chosen, label, names, pick }: ChoicesProps) => {
  const button = (name: string) =>
    h(Button, { key: name, label: name, isOn: name === chosen, onClick: () => pick(name) })
  return div({ class: "seg", role: "group", "aria-label": label }, names.map(button))
}

export const Empty = ({ children, title }: { readonly title: string; readonly children?: Child }) =>
  div("empty", b("", title), children !== undefined && p("", children))

interface PanelProps {
  readonly id: string
  readonly title: Child
  readonly sub?: Child
  readonly tools?: Child
  /** The phone's tab that shows the panel. */
  readonly panel?: string
  readonly style?: string
  readonly isReading?: boolean
  readonly children?: Child
}
export const Panel = ({ id, title, sub, tools, panel, children, isReading = false, style = "" }: PanelProps) => {
  const by = { "aria-labelledby": `t-${id}` }
  return section(
    { class: `card ${style}`, "data-panel": panel, ...by },
    header("", h2({ id: `t-${id}` }, title), span({ class: "sub", id: `s-${id}` }, sub), tools),
    div(
      { id, class: "scroll", tabIndex: 0, role: "group", ...by },
      isReading ? h(Empty, { title: "Reading …" }) : children
    )
  )
}

export interface Column<A> {
  readonly title: string
  readonly cell: (row: A) => Child
  readonly style: string
  /** On a phone, rows are cards and cells have this label. */
  readonly label: string | undefined
}
export const column = <A>(title: string, cell: (row: A) => Child, style = "", label?: string): Column<A> => ({
  title,
  cell,
  style,
  label
})

export const Head = <A>({ columns }: { readonly columns: ReadonlyArray<Column<A>> }) => {
  const cells = columns.map(({ style, title }) => h("th", { key: title, scope: "col", class: style }, title))
  return h("thead", {}, tr("", cells))
}

export const cellsOf = <A>(columns: ReadonlyArray<Column<A>>, row: A) =>
  columns.map(({ cell, label, style, title }) => h("td", { key: title, class: style, "data-k": label }, cell(row)))

interface TableProps<A> {
  readonly style?: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  readonly keyOf: (row: A) => string | number
  /** Lines under the row, over all columns. */
  readonly notesOf?: (row: A) => ReadonlyArray<Child>
}
export const Table = <A>({ columns, keyOf, notesOf, rows, style = "" }: TableProps<A>) => {
  const lines = rows.map((row) => {
    const notes = notesOf?.(row) ?? []
    const cell = h("td", { colSpan: columns.length }, notes)
    return h(Fragment, { key: keyOf(row) }, tr("", cellsOf(columns, row)), notes.length > 0 && tr("notes", cell))
  })
  return h("table", { class: `t cards ${style}` }, h(Head<A>, { columns }), h("tbody", {}, lines))
}
