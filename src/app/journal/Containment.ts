/**
 * Lists everything that can still act or be paid: one list for each way in which money could move without a new start. A list names its
 * source and time, so an empty list is evidence; a list that could not be checked proves nothing. It covers one journal and one account,
 * and no copy of the key in another program.
 */
import { countText, iso, utc } from "../../domain/Text.ts"
import type { Loose } from "../cluster/AccountWord.ts"

export interface LookedAt {
  readonly name: string
  readonly at: string
  readonly lookedAt: number
  readonly found: ReadonlyArray<Loose>
}

interface Unseen {
  readonly name: string
  readonly at: string
  readonly why: string
}

export type Looked = LookedAt | Unseen

const isUnseen = (looked: Looked): looked is Unseen => "why" in looked

export const isContained = (lists: ReadonlyArray<Looked>): boolean =>
  lists.every((each) => !isUnseen(each) && each.found.length === 0)

/** Returns one sentence that says why it is not contained; `undefined` if it is contained. */
export const openIn = (lists: ReadonlyArray<Looked>): string | undefined => {
  if (isContained(lists)) return undefined
  const unseen = lists.filter(isUnseen).length
  const full = lists.filter((each) => !isUnseen(each) && each.found.length > 0).length
  const parts = [
    ...(full === 0 ? [] : [`${countText(full, "list")} of ${lists.length} not empty`]),
    ...(unseen === 0 ? [] : [`${countText(unseen, "unreadable list")}`])
  ]
  return `Not contained: ${parts.join(", and ")}`
}

export const dataOf = (lists: ReadonlyArray<Looked>) => ({
  contained: isContained(lists),
  lists: lists.map((each) => {
    const { at, name } = each
    if (isUnseen(each)) return { name, at, lookedAt: null, unseen: each.why, found: null }
    const items = each.found.map(({ amount = null, id, text, until }) => ({
      id,
      text,
      amount,
      until: until === undefined ? null : iso(until)
    }))
    return { name, at, lookedAt: iso(each.lookedAt), unseen: null, found: items }
  })
})

const lineOf = ({ amount, id, text, until }: Loose): string =>
  `  ${id}: ${text}${amount === undefined ? "" : `, ${amount}`}${until === undefined ? "" : `, until ${utc(until)}`}`

export const linesOf = (lists: ReadonlyArray<Looked>): ReadonlyArray<string> => [
  ...lists.flatMap((each) => {
    if (isUnseen(each)) return [`${each.name}: not checked (${each.at}): ${each.why}`]
    const count = each.found.length === 0 ? "none" : String(each.found.length)
    return [`${each.name}: ${count} (${each.at}, ${utc(each.lookedAt)})`, ...each.found.map(lineOf)]
  }),
  "",
  openIn(lists) ?? "Contained: these lists contain nothing that can still act or be paid."
]
