/** The one dialog of the page, as a window or as a drawer at the side, and the message after a command. */
import { signal } from "@preact/signals"
import { h } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { brief } from "./format.ts"
import { Button, type Child } from "./parts.ts"
import { div, h2, p } from "./tags.ts"

interface Content {
  readonly title: Child
  readonly sub?: Child
  readonly body: Child
  /** Buttons; the answer is the solid one. */
  readonly foot?: Child
  readonly isDrawer?: boolean
  /** A login cannot be closed. */
  readonly isFixed?: boolean
}

const content = signal<Content | undefined>(undefined)
const notice = signal<{ readonly text: string; readonly tone: "good" | "alarm" } | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

export const open = (next: Content): void => {
  content.value = next
}
export const close = (): void => {
  content.value = undefined
}

export const toast = (text: string, tone: "good" | "alarm"): void => {
  notice.value = { text: brief(text), tone }
  clearTimeout(timer)
  timer = setTimeout(() => {
    notice.value = undefined
  }, 8_000)
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
export const failed = (error: unknown): void => toast(messageOf(error), "alarm")

export const CloseButton = ({ label }: { readonly label: string }) => h(Button, { label, onClick: close })

/** Shows that something is being read, then the answer or the reason why there is none. */
export const answered = async (
  { title, foot = h(CloseButton, { label: "Close" }), ...more }: Pick<Content, "title" | "isDrawer" | "foot">,
  waiting: string,
  answer: Promise<Omit<Content, "title" | "isDrawer">>
): Promise<void> => {
  open({ title, ...more, body: p("dim", waiting), foot })
  const next = await answer.catch((error: unknown) => ({ body: p("alarm", messageOf(error)) }))
  if (content.value?.title === title) open({ title, foot, ...more, ...next })
}

const Box = ({ body, foot, isFixed, sub, title }: Content) => [
  div(
    "dh",
    div("", h2({ id: "dialog-title" }, title), sub !== undefined && p("dim", sub)),
    isFixed !== true && h(Button, { icon: "close", name: "Dismiss", style: "quiet icon push", onClick: close })
  ),
  div("db", body),
  foot !== undefined && div("df", foot)
]

export const Dialog = () => {
  const box = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (content.value === undefined) element?.close()
    else if (element?.open === false) element.showModal()
    else element?.querySelector<HTMLElement>("[autofocus]")?.focus()
  }, [content.value])
  return [
    h(
      "dialog",
      {
        id: "dialog",
        ref: box,
        class: content.value?.isDrawer === true ? "drawer" : "modal",
        "aria-labelledby": "dialog-title",
        onClose: close,
        onCancel: (event: Event) => content.value?.isFixed === true && event.preventDefault()
      },
      content.value !== undefined && h(Box, content.value)
    ),
    notice.value !== undefined && div({ class: `toast ${notice.value.tone}`, role: "status" }, notice.value.text)
  ]
}
