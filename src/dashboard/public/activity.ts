/** Events as sentences: the newest first, without what only serves recovery. A search also finds quiet events. */
import { useSignal } from "@preact/signals"
import { h } from "preact"
import type { LineView } from "../../views/Events.ts"
import { textIn } from "./commands.ts"
import { clock, decimal, price, stamp } from "./format.ts"
import { Button, Empty } from "./parts.ts"
import * as Store from "./store.ts"

const mostLines = 60

/** A fill by what was traded, at which price. */
const fillText = ({ sequence, text }: LineView): string => {
  const fill = Store.fills.value?.findLast((each) => each.sequence === sequence)
  if (fill === undefined) return text
  const { price: at, side } = fill
  return side === "BUY"
    ? `bought ${decimal(fill.received)} ${fill.receivedAsset} at ${price(at)}`
    : `sold ${decimal(fill.paid)} ${fill.paidAsset} at ${price(at)}`
}

export const Activity = () => {
  const isSearching = useSignal(false)
  const all = Store.events.value?.filter(({ text }) => text !== "") ?? []
  const lines = isSearching.value ? all : all.filter(({ subject, weight }) => weight !== "quiet" || subject !== "")
  const toggle = () => {
    isSearching.value = !isSearching.value
    Store.search.value = ""
  }
  return h(
    "section",
    { class: "card grow activity", "aria-labelledby": "t-events" },
    h(
      "header",
      {},
      h("h2", { id: "t-events" }, "Activity"),
      isSearching.value &&
        h("input", {
          id: "search",
          type: "search",
          placeholder: "Search events",
          "aria-label": "Search events",
          autofocus: true,
          onInput: (event: InputEvent) => {
            Store.search.value = textIn(event)
          }
        }),
      h(Button, {
        id: "searching",
        label: isSearching.value ? "Done" : "Search",
        style: "quiet sm push",
        onClick: toggle
      })
    ),
    h(
      "div",
      { class: "scroll", id: "events", tabIndex: 0, role: "group", "aria-labelledby": "t-events" },
      lines.length === 0
        ? h(Empty, { title: isSearching.value ? "No matching events" : "Nothing has happened yet" })
        : h(
            "ul",
            {},
            lines
              .slice(-mostLines)
              .toReversed()
              .map((line) => {
                const { at, sequence, subject, tag, text, weight } = line
                return h(
                  "li",
                  { key: sequence, class: `ev ${weight}` },
                  h("time", { dateTime: new Date(at).toISOString(), title: `${stamp(at)} UTC` }, clock(at).slice(0, 5)),
                  h("span", {}, h("b", {}, subject), ` ${tag === "FillSeen" ? fillText(line) : text}`)
                )
              })
          )
    )
  )
}
