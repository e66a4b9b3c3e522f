/** What a swap leaves behind: which transactions its status names, and the account's own history as far as it is open. */
import { isRefused } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, same, that, usual } from "../Seen.ts"
import type { Answer, World } from "../World.ts"
import type { FactRow } from "./FactRow.ts"

const ended = (status: unknown): boolean => ["SUCCESS", "REFUNDED", "FAILED"].includes(String(status))

/** A swap that never leaves the confidential ledger: nothing of it is shielded or unshielded. */
const confidentialSwap = (world: World, confidentiality: "basic" | "advanced") =>
  world.once(`confidential swap, ${confidentiality}`, async () => {
    await world.needMoney()
    const kind = "CONFIDENTIAL_INTENTS"
    const kinds = { depositType: kind, refundType: kind, recipientType: kind }
    const quoted = await Scenes.quote(world, { dry: false, ...kinds, confidentiality })
    if (quoted.status >= 300) return cannotShow(`no quote: ${quoted.status} ${quoted.text.slice(0, 200)}`)
    const { answer } = await Scenes.pay(world, String(at(quoted.body, "quote.depositAddress")))
    if (isRefused(answer)) return cannotShow(`it cannot be paid: ${answer.text.slice(0, 200)}`)
    const end = await world.until(
      "the end of a swap",
      () => Scenes.statusOf(world, quoted),
      ({ body }) => ended(at(body, "status"))
    )
    if (at(end.body, "status") !== "SUCCESS") return cannotShow(`it ended ${at(end.body, "status")}`)
    return end
  })

/** A swap from the public ledger to the public ledger. */
const publicSwap = async (world: World): Promise<Answer> => {
  const last = (await Scenes.paidSwap(world)).seen.at(-1)
  return last !== undefined && at(last.body, "status") === "SUCCESS" ? last : cannotShow("no swap was paid out")
}

const hashesIn = (world: World, { body }: Answer): ReadonlyArray<unknown> => {
  const hashes = at(body, `swapDetails.${world.ledger}TxHashes`)
  return Array.isArray(hashes) ? hashes : []
}

const page = async (world: World, query: string): Promise<Answer> => {
  const answer = await world.get(`/v0/account/history${query}`, "user")
  if (answer.status === 400 || answer.status === 403 || answer.status >= 500) {
    return cannotShow(`it is not open to this account: ${answer.status} ${answer.text.slice(0, 200)}`)
  }
  same(answer.status, 200, "status")
  return answer
}
const itemsOf = ({ body }: Answer): ReadonlyArray<unknown> => {
  const items = at(body, "items")
  return Array.isArray(items) ? items : []
}
const keyOf = (item: unknown): string => `${at(item, "depositAddress")} ${at(item, "depositMemo")}`
const madeAt = (item: unknown): number => Date.parse(String(at(item, "createdAt")))

/** The first page of one, and the page that its older cursor leads to. */
const twoPages = async (world: World) => {
  await Scenes.past(world)
  const first = await page(world, "?limit=1")
  const cursor = at(first.body, "prevCursor")
  if (typeof cursor !== "string") return cannotShow("there is one page only")
  const second = await page(world, `?limit=1&prevCursor=${encodeURIComponent(cursor)}`)
  const [newer] = itemsOf(first)
  const [older] = itemsOf(second)
  return older === undefined || newer === undefined ? cannotShow("there is one item only") : { newer, older }
}

export const traceRows: ReadonlyArray<FactRow> = [
  {
    fact: "settlementHashes",
    name: "none",
    sentence: "A swap within the confidential ledger names no public transaction",
    applies: ({ settlementHashes }) => !settlementHashes,
    look: async (world) => {
      same(hashesIn(world, await confidentialSwap(world, "basic")), [], `${world.ledger}TxHashes`)
      return undefined
    }
  },
  {
    fact: "crossingHashes",
    name: "named",
    sentence: "A swap of public money names what brought it to the confidential ledger and back",
    applies: ({ crossingHashes, settlementHashes }) => crossingHashes && !settlementHashes,
    look: async (world) => {
      const hashes = hashesIn(world, await publicSwap(world))
      usual(hashes.length > 0, "it names nothing")
      that(hashes.length === new Set(hashes).size, `one is named twice: ${hashes.join(", ")}`)
      return hashes.join(", ")
    }
  },
  {
    fact: "crossingHashes",
    name: "none",
    sentence: "A swap of public money names no public transaction",
    applies: ({ crossingHashes, settlementHashes }) => !crossingHashes && !settlementHashes,
    look: async (world) => {
      same(hashesIn(world, await publicSwap(world)), [], `${world.ledger}TxHashes`)
      return undefined
    }
  },
  {
    fact: "advancedStatus",
    name: "state",
    sentence: "The status of an advanced swap says at least its state",
    applies: ({ advancedStatus }) => advancedStatus === "bare",
    look: async (world) => {
      const { body } = await confidentialSwap(world, "advanced")
      return at(body, "swapDetails.amountOut") === undefined ? "its state alone" : "amounts as well"
    }
  },
  {
    fact: "advancedStatus",
    name: "whole",
    sentence: "The status of an advanced swap says what was paid out",
    applies: ({ advancedStatus }) => advancedStatus === "whole",
    look: async (world) => {
      const { body } = await confidentialSwap(world, "advanced")
      usual(at(body, "swapDetails.amountOut") !== undefined, "it does not")
      return String(at(body, "swapDetails.amountOut"))
    }
  },
  {
    fact: "settlementHashes",
    name: "named",
    sentence: "A swap that was paid out names the public transaction that settled it",
    applies: ({ settlementHashes }) => settlementHashes,
    look: async (world) => {
      const hashes = hashesIn(world, await publicSwap(world))
      usual(hashes.length > 0, "it names none")
      return hashes.join(", ")
    }
  },
  {
    fact: "accountHistory",
    name: "invite-only",
    sentence: "The account's own history is refused to those who are not invited",
    applies: ({ accountHistory }) => accountHistory === "invite-only",
    look: async (world) => {
      const answer = await world.get("/v0/account/history?limit=1", "user")
      if (answer.status === 200) return cannotShow("this account is invited")
      that([400, 403].includes(answer.status), `it is answered ${answer.status} ${answer.text.slice(0, 200)}`)
      return `${answer.status} ${String(at(answer.body, "message") ?? "")}`
    }
  },
  {
    fact: "accountHistory",
    name: "open",
    sentence: "The account's own history is open to it",
    applies: ({ accountHistory }) => accountHistory === "open",
    look: async (world) => `${itemsOf(await page(world, "?limit=1")).length} items`
  },
  {
    fact: "accountHistory",
    name: "newest",
    sentence: "The account's history begins with the newest",
    look: async (world) => {
      await Scenes.past(world)
      const times = itemsOf(await page(world, "?limit=100")).map(madeAt)
      if (times.length < 2) return cannotShow(`there are ${times.length} items`)
      that(
        times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time)),
        "it does not"
      )
      return `${times.length} items`
    }
  },
  {
    fact: "accountHistory",
    name: "older",
    sentence: "`prevCursor` leads to what is older",
    look: async (world) => {
      const { newer, older } = await twoPages(world)
      that(madeAt(older) <= madeAt(newer), "it leads to what is newer")
      return undefined
    }
  },
  {
    fact: "accountHistory",
    name: "exclusive",
    sentence: "A cursor is exclusive: what it was taken from is not on its page",
    look: async (world) => {
      const { newer, older } = await twoPages(world)
      that(keyOf(older) !== keyOf(newer), "the item is on both pages")
      return undefined
    }
  }
]
