/** Elements from plain calls. Text is always a text node, so nothing from the bot can become markup. */

type Child = Node | string | number | null | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void) | undefined>>

export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Child | ReadonlyArray<Child>>
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === "function") element.addEventListener(name, value)
    else element.setAttribute(name, value === true ? "" : String(value))
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child))
  }
  return element
}

export const byId = (id: string): HTMLElement => {
  const node = document.getElementById(id)
  if (node === null) throw new Error(`The page has no #${id}`)
  return node
}

export const show = (id: string, ...children: ReadonlyArray<Node>): void => {
  const element = byId(id)
  const { scrollLeft, scrollTop } = element
  element.replaceChildren(...children)
  element.scrollTop = scrollTop
  element.scrollLeft = scrollLeft
}

export const count = (titleId: string, text: string): void => {
  const title = byId(titleId)
  const badge = title.querySelector(".count") ?? title.appendChild(h("span", { class: "count" }))
  badge.textContent = text
}

export interface Column<A> {
  readonly title: string
  readonly number?: boolean
  readonly optional?: boolean
  readonly class?: string
  readonly cell: (row: A) => Child
  readonly tone?: (row: A) => string
}

export const choices = (
  names: ReadonlyArray<string>,
  chosen: string,
  pick: (name: string) => void
): ReadonlyArray<HTMLElement> =>
  names.map((name) =>
    h(
      "button",
      { type: "button", class: "small", "aria-pressed": name === chosen ? "true" : "false", click: () => pick(name) },
      name
    )
  )

export const table = <A>(
  columns: ReadonlyArray<Column<A>>,
  rows: ReadonlyArray<A>,
  rowClass: (row: A) => string = () => ""
): HTMLTableElement => {
  const classOf = (column: Column<A>) =>
    [column.number ? "n" : "", column.optional ? "optional" : "", column.class ?? ""].join(" ").trim()
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        columns.map((column) =>
          column.title === ""
            ? h("td", { class: classOf(column) })
            : h("th", { scope: "col", class: classOf(column) }, column.title)
        )
      )
    ),
    h(
      "tbody",
      {},
      rows.map((row) =>
        h(
          "tr",
          { class: rowClass(row) },
          columns.map((column) =>
            h("td", { class: `${classOf(column)} ${column.tone?.(row) ?? ""}`.trim() }, column.cell(row))
          )
        )
      )
    )
  )
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const toast = (text: string, tone: "good" | "alarm"): void => {
  for (const old of document.querySelectorAll(".toast")) old.remove()
  const toastBox = h("div", { class: `toast ${tone}`, role: "status" }, text)
  document.body.append(toastBox)
  setTimeout(() => toastBox.remove(), 8_000)
}
