/** The text of a strategy file in the editor: keys and comments in their colours, and each mistake at its line and column. */
import { h, type TextareaHTMLAttributes } from "preact"
import { useRef } from "preact/hooks"
import { b, div, pre, span } from "./tags.ts"

export interface Mistake {
  readonly line: number
  readonly column: number
  readonly length: number
  readonly text: string
}

/** Reads a problem as the bot writes it: place and message, the line with carets below its mistake, and a hint. */
export const mistakeOf = (problem: string): Mistake | undefined => {
  const [, line, column, message] = /:(\d+):(\d+): (.*)/.exec(problem) ?? []
  if (message === undefined) return undefined
  const [hint, carets = "^"] = [/\n *= (.*)/.exec(problem)?.[1], /\^+/.exec(problem)?.[0]]
  const text = [message, hint].filter(Boolean).join(": ")
  return { line: Number(line), column: Number(column), length: carets.length, text }
}

type Style = "" | "key" | "comment"

/** Quoted text is neither key nor comment. */
const coloured = /"[^"]*"|'[^']*'|(?<comment>(?<=^|\s)#.*$)|(?<key>[\w.-]+(?=:(?:\s|$)))/g

export const partsOf = (line: string): ReadonlyArray<readonly [style: Style, text: string]> => {
  const parts: Array<readonly [Style, string]> = []
  let end = 0
  for (const { 0: text, groups = {}, index } of line.matchAll(coloured)) {
    const style = groups["comment"] !== undefined ? "comment" : groups["key"] !== undefined ? "key" : ""
    if (index > end) parts.push(["", line.slice(end, index)])
    parts.push([style, text])
    end = index + text.length
  }
  return end < line.length ? [...parts, ["", line.slice(end)]] : parts
}

const Line = ({ mistakes, text }: { readonly text: string; readonly mistakes: ReadonlyArray<Mistake> }) => {
  const marks = mistakes.map(({ column, length }) =>
    h("i", { style: { left: `${column - 1}ch`, width: `${length}ch` } })
  )
  const mistakeNote = mistakes.length > 0 && b("", `  ← ${mistakes.map((each) => each.text).join(" · ")}`)
  const parts = partsOf(text).map(([style, part]) => (style === "" ? part : span(style, part)))
  return div(mistakes.length > 0 ? "bad" : "", parts, mistakeNote, marks)
}

interface CodeProps extends TextareaHTMLAttributes {
  readonly text: string
  readonly mistakes: ReadonlyArray<Mistake>
}
/** A text area whose own letters are invisible, above the same text in colours. */
export const Code = ({ mistakes, text, ...area }: CodeProps) => {
  const colours = useRef<HTMLElement>(null)
  const onScroll = ({ currentTarget }: Event): void => {
    if (colours.current === null || !(currentTarget instanceof HTMLTextAreaElement)) return
    colours.current.style.translate = `${-currentTarget.scrollLeft}px ${-currentTarget.scrollTop}px`
  }
  const lines = text.split("\n").map((line, index) => {
    return h(Line, { key: index, text: line, mistakes: mistakes.filter((each) => each.line === index + 1) })
  })
  const state = { value: text, wrap: "off", "aria-invalid": mistakes.length > 0, onScroll }
  return div("code", pre({ "aria-hidden": "true", ref: colours }, lines), h("textarea", { ...area, ...state }))
}

export const goTo = (area: HTMLTextAreaElement | null, { column, length, line }: Mistake): void => {
  if (area === null) return
  const before = area.value.split("\n").slice(0, line - 1)
  const at = before.reduce((total, each) => total + each.length + 1, column - 1)
  area.focus()
  area.setSelectionRange(at, at + length)
  area.scrollTop = (area.scrollHeight * line) / area.value.split("\n").length - area.clientHeight / 2
}
