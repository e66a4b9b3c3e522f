/** The parts that every panel is made of: money with its exact value, figures, chips, icons, choices and tables. */
import { type ComponentChildren, h } from "preact"
import { cents, decimal, gain, price, toneOf } from "./format.ts"

export type Child = ComponentChildren

const icons = {
  live: ["0 0 8 8", "M4 0a4 4 0 1 1 0 8a4 4 0 0 1 0-8z", "fill"],
  paused: ["0 0 9 10", "M0 0h3v10H0zM6 0h3v10H6z", "fill"],
  killed: ["0 0 14 14", "M7 1v5.5M3.6 3.3a5.2 5.2 0 1 0 6.8 0", "line"],
  stopping: ["0 0 10 10", "M1 1h8v8H1z", "line"],
  gone: ["0 0 12 12", "M1 11 11 1M2 4.5a6 6 0 0 1 3-2M10 4.5 8.5 3.6M4.5 8a2.6 2.6 0 0 1 3 0", "line"],
  warn: [
    "0 0 14 13",
    "M7 0a1.2 1.2 0 0 1 1 .6l5.8 10A1.5 1.5 0 0 1 12.5 13h-11A1.5 1.5 0 0 1 .2 10.6l5.8-10A1.2 1.2 0 0 1 7 0zM6.2 4v4h1.6V4zm0 5.2v1.6h1.6V9.2z",
    "fill"
  ],
  theme: ["0 0 14 14", "M7 0a7 7 0 1 1 0 14A7 7 0 0 1 7 0zM7 1.5a5.5 5.5 0 0 0 0 11z", "fill"],
  close: ["0 0 12 12", "M1 1l10 10M11 1L1 11", "line"],
  more: [
    "0 0 16 4",
    "M0 2a2 2 0 1 0 4 0a2 2 0 1 0-4 0M6 2a2 2 0 1 0 4 0a2 2 0 1 0-4 0M12 2a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
    "fill"
  ]
} as const
export type IconName = keyof typeof icons

export const Icon = ({ name }: { readonly name: IconName }) => {
  const [viewBox, d, style] = icons[name]
  const [, , width, height] = viewBox.split(" ")
  return h("svg", { class: `icon ${style}`, viewBox, width, height, "aria-hidden": "true" }, h("path", { d }))
}

export type ChipKind = Extract<IconName, "live" | "paused" | "killed" | "stopping" | "gone" | "warn">

export const Chip = ({ kind, children, small, id }: ChipProps) =>
  h("span", { class: `chip ${kind} ${small === true ? "sm" : ""}`, id }, h(Icon, { name: kind }), children)
interface ChipProps {
  readonly kind: ChipKind
  readonly children?: Child
  readonly small?: boolean
  readonly id?: string
}

export const Button = ({ icon, id, isAllowed = true, label, name, onClick, style = "", isOn }: ButtonProps) =>
  h(
    "button",
    {
      type: onClick === undefined ? "submit" : "button",
      id,
      class: `btn ${style}`,
      disabled: !isAllowed,
      "aria-label": name,
      "aria-pressed": isOn === undefined ? undefined : isOn ? "true" : "false",
      onClick
    },
    icon !== undefined && h(Icon, { name: icon }),
    label
  )
interface ButtonProps {
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

/** Money to cents; the exact amount is shown on hover. */
export const Money = ({ asset = "", profit, value }: MoneyProps) =>
  value === null
    ? h("span", { class: "dim" }, "–")
    : h(
        "span",
        { class: profit === true ? toneOf(value) : "", title: `${decimal(value)} ${asset}`.trim() },
        profit === true ? gain(value) : cents(value)
      )
interface MoneyProps {
  readonly value: string | null
  readonly asset?: string
  /** A profit has a sign and a colour. */
  readonly profit?: boolean
}

export const Price = ({ value }: { readonly value: string }) => h("span", { title: decimal(value) }, price(value))

export const Side = ({ side }: { readonly side: string }) =>
  side === "" ? null : h("span", { class: side === "BUY" ? "side buy" : "side sell" }, side === "BUY" ? "Buy" : "Sell")

export const Figures = ({ of }: { readonly of: ReadonlyArray<readonly [label: string, value: Child]> }) =>
  of.map(([label, value]) => h("div", { key: label }, h("dt", {}, label), h("dd", {}, value)))

export const Choices = ({ chosen, label, names, pick }: ChoicesProps) =>
  h(
    "div",
    { class: "seg", role: "group", "aria-label": label },
    names.map((name) =>
      h(
        "button",
        { key: name, type: "button", "aria-pressed": name === chosen ? "true" : "false", onClick: () => pick(name) },
        name
      )
    )
  )
interface ChoicesProps {
  readonly label: string
  readonly names: ReadonlyArray<string>
  readonly chosen: string
  readonly pick: (name: string) => void
}

export const Empty = ({ children, title }: { readonly title: string; readonly children?: Child }) =>
  h("div", { class: "empty" }, h("b", {}, title), children !== undefined && h("p", {}, children))

export const Panel = ({ id, title, sub, tools, panel, children, ...more }: PanelProps) =>
  h(
    "section",
    { class: `card ${more.class ?? ""}`, "aria-labelledby": `t-${id}`, "data-panel": panel },
    h("header", {}, h("h2", { id: `t-${id}` }, title), h("span", { class: "sub", id: `s-${id}` }, sub), tools),
    h("div", { id, class: "scroll", tabIndex: 0, role: "group", "aria-labelledby": `t-${id}` }, children)
  )
interface PanelProps {
  readonly id: string
  readonly title: Child
  readonly sub?: Child
  readonly tools?: Child
  /** The tab of a phone under which it is. */
  readonly panel?: string
  readonly class?: string
  readonly children?: Child
}

export interface Column<A> {
  readonly title: string
  readonly number?: boolean
  readonly class?: string
  /** On a phone, rows are cards and cells have this label. */
  readonly label?: string
  readonly cell: (row: A) => Child
}

const classOf = <A>({ class: name = "", number }: Column<A>): string => `${number === true ? "num" : ""} ${name}`.trim()

export const Head = <A>({ columns }: { readonly columns: ReadonlyArray<Column<A>> }) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      columns.map((column) => h("th", { key: column.title, scope: "col", class: classOf(column) }, column.title))
    )
  )

export const cellsOf = <A>(columns: ReadonlyArray<Column<A>>, row: A) =>
  columns.map((column) =>
    h("td", { key: column.title, class: classOf(column), "data-k": column.label }, column.cell(row))
  )

export const Table = <A>({ class: name = "", columns, keyOf, rows }: TableProps<A>) =>
  h(
    "table",
    { class: `t cards ${name}` },
    h(Head<A>, { columns }),
    h(
      "tbody",
      {},
      rows.map((row) => h("tr", { key: keyOf(row) }, cellsOf(columns, row)))
    )
  )
interface TableProps<A> {
  readonly class?: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  readonly keyOf: (row: A) => string | number
}
