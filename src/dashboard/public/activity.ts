/** Events as sentences: the newest first, without what only serves recovery. A search also finds quiet events. */
import { h } from "preact"
import type { LineView } from "../../views/Events.ts"
import { typedInto } from "./commands.ts"
import { brief, decimal, price, stamp, timeOrDay } from "./format.ts"
import { Button, Empty, Panel, useToggle } from "./parts.ts"
import * as Store from "./store.ts"
import { b, li, span, ul } from "./tags.ts"

const mostLines = 60

const sentenceOf = ({ sequence, tag, text }: LineView): string => {
  const fill = tag === "FillSeen" ? Store.fills.value?.findLast((each) => each.sequence === sequence) : undefined
  if (fill === undefined) return text
  const { price: at, side } = fill
  return side === "BUY"
    ? `bought ${decimal(fill.received)} ${fill.receivedAsset} at ${price(at)}`
    : `sold ${decimal(fill.paid)} ${fill.paidAsset} at ${price(at)}`
}

/** Equal events of one minute are one line with their count. */
const EqualEvents = ({ lines }: { readonly lines: ReadonlyArray<LineView> }) => {
  const [line] = lines
  if (line === undefined) return null
  const { at, subject, weight } = line
  const time = { dateTime: new Date(at).toISOString(), title: `${stamp(at)} UTC` }
  const times = lines.length > 1 && span("dim", ` × ${lines.length}`)
  const words = span("", b("", subject), ` ${brief(sentenceOf(line))}`, times)
  return li(`ev ${weight}`, h("time", time, timeOrDay(at)), words)
}

export const Activity = () => {
  const [isSearching, toggle] = useToggle()
  const all = Store.events.value?.events.filter(({ text }) => text !== "") ?? []
  const lines = isSearching ? all : all.filter(({ weight }) => weight !== "quiet")
  const newest = lines.slice(-mostLines).toReversed()
  const groups = Map.groupBy(newest, (line) => `${Math.floor(line.at / 60_000)} ${line.subject} ${sentenceOf(line)}`)
  const onClick = () => {
    Store.search.value = ""
    toggle()
  }
  const field = { "aria-label": "Search events", autofocus: true }
  const tools = [
    isSearching && h("input", { id: "search", type: "search", ...field, onInput: typedInto(Store.search) }),
    h(Button, { label: isSearching ? "Done" : "Search", style: "quiet sm push", onClick })
  ]
  return h(
    Panel,
    { id: "events", title: "Activity", tools, style: "grow activity", isReading: Store.events.value === undefined },
    newest.length === 0
      ? h(Empty, { title: isSearching ? "No matching events" : "Fills and warnings will be listed here" })
      : ul(
          "",
          [...groups].map(([key, equal]) => h(EqualEvents, { key, lines: equal }))
        )
  )
}
