/** Elements by plain calls: the first argument is the class, or the attributes. Text is always a text node, so it cannot become markup. */
import { type ComponentChildren, type HTMLAttributes, h } from "preact"

const tag =
  (name: string) =>
  <P extends HTMLAttributes<HTMLElement>>(attributes: string | P, ...children: ReadonlyArray<ComponentChildren>) =>
    typeof attributes === "string"
      ? h(name, attributes === "" ? {} : { class: attributes }, ...children)
      : h(name, attributes, ...children)

export const b = tag("b")
export const div = tag("div")
export const dl = tag("dl")
export const h2 = tag("h2")
export const h3 = tag("h3")
export const header = tag("header")
export const li = tag("li")
export const p = tag("p")
export const pre = tag("pre")
export const section = tag("section")
export const small = tag("small")
export const span = tag("span")
export const tr = tag("tr")
export const ul = tag("ul")
