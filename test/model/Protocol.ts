/**
 * The create-then-fund protocol of one slot as states and transitions, for a search of every interleaving: what a bot does step
 * by step with its journal, crashes between any two steps, requests and answers that are lost, doubled or late, orders and
 * deposits that show whenever they like or never, payloads that execute as long as they are valid.
 *
 * Nothing bounds how long a deposit may take to show: a rule that reads silence as an answer is wrong here. A rule is left out
 * by its name, and the search then has to find the loss that it prevents.
 */

export const rules = [
  "journal the payload before it is sent",
  "one payload for a placement",
  "no payload is dead before its deadline",
  "what was sent is not dead by silence",
  "what was acknowledged has happened",
  "a cancel that was asked for is not an end",
  "an abandoned placement stays abandoned",
  "absence from a list is not an end",
  "one bot for a journal",
  "the journal loses nothing"
] as const
export type Rule = (typeof rules)[number]

/** How far a payload is, as the journal tells. */
type Funding = "none" | "signed" | "sent" | "acknowledged" | "seen"

interface Placement {
  /** `over` gives the slot and the money free. */
  state: "planned" | "creating" | "bound" | "over"
  order: number
  funding: Funding
  payload: number
  isCancelled: boolean
}

interface Bot {
  isUp: boolean
  /** What it is about to do after the record that says so: lost in a crash. */
  next: "" | "post" | "submit" | "record"
  placements: Array<Placement>
}

interface Order {
  placement: number
  isListed: boolean
  deposits: number
  isDepositShown: boolean
  isTerminal: boolean
  isCancelAsked: boolean
}

interface Payload {
  order: number
  isSent: boolean
  isExecuted: boolean
  isExpired: boolean
  isAnswered: boolean
}

export interface ModelState {
  bots: Array<Bot>
  orders: Array<Order>
  payloads: Array<Payload>
  /** Placements whose create is on its way, and orders whose answer is. */
  creates: Array<number>
  replies: Array<number>
  crashes: number
  posts: number
}

export interface Bounds {
  readonly placements: number
  readonly crashes: number
  readonly posts: number
  readonly orders: number
}

export const start = ({ crashes }: Bounds, without: ReadonlySet<Rule>): ModelState => ({
  bots: Array.from({ length: without.has("one bot for a journal") ? 2 : 1 }, () => ({
    isUp: true,
    next: "",
    placements: []
  })),
  orders: [],
  payloads: [],
  creates: [],
  replies: [],
  crashes,
  posts: 0
})

const bits = (...flags: ReadonlyArray<boolean>): number => flags.reduce((sum, flag) => sum * 2 + (flag ? 1 : 0), 0)

/** The same text for the same state, whatever the order in which requests are on their way. */
export const keyOf = ({ bots, crashes, creates, orders, payloads, posts, replies }: ModelState): string => {
  const ofBots = bots.map(({ isUp, next, placements }) => {
    const each = placements.map((at) => `${at.state[1]}${at.order}${at.funding}${at.payload}${bits(at.isCancelled)}`)
    return `${bits(isUp)}${next}${each.join()}`
  })
  const ofOrders = orders.map(
    ({ deposits, isCancelAsked, isDepositShown, isListed, isTerminal, placement }) =>
      `${placement}${deposits}${bits(isListed, isDepositShown, isTerminal, isCancelAsked)}`
  )
  const ofPayloads = payloads.map(
    ({ isAnswered, isExecuted, isExpired, isSent, order }) =>
      `${order}${bits(isSent, isExecuted, isExpired, isAnswered)}`
  )
  const onTheWay = `${creates.toSorted().join()}/${replies.toSorted().join()}`
  return `${ofBots.join(";")}|${ofOrders.join()}|${ofPayloads.join()}|${onTheWay}|${crashes}${posts}`
}

/** What must never be, in words. */
export const broken = ({ bots, orders, payloads }: ModelState): string | undefined => {
  const paid = new Map<number, number>()
  let live = 0
  for (const { deposits, isTerminal, placement } of orders) {
    if (deposits > 1) return "an order is funded twice"
    if (deposits > 0 && !isTerminal) live += 1
    paid.set(placement, (paid.get(placement) ?? 0) + deposits)
  }
  if (live > 1) return "two funded orders in one slot"
  if ([...paid.values()].some((deposits) => deposits > 1)) return "a placement is funded twice"
  for (const { placements } of bots) {
    for (const { state, payload } of placements) {
      const { isExecuted, order = -1 } = payloads[payload] ?? {}
      if (state === "over" && isExecuted && orders[order]?.isTerminal === false)
        return "money that is in a live order is taken for free"
    }
  }
  return undefined
}

/** Nothing is left to do, or what is left is said to be in doubt. */
export const isAtRest = ({ bots }: ModelState, { placements: most }: Bounds): boolean =>
  bots.every(({ isUp, placements }) => {
    const last = placements.at(-1)
    if (!isUp || last === undefined) return false
    const isWaitedFor = last.funding === "seen" || last.funding === "acknowledged" || last.funding === "sent"
    return (last.state === "over" && placements.length >= most) || (last.state === "bound" && isWaitedFor)
  })

const copy = (state: ModelState): ModelState => ({
  ...state,
  bots: state.bots.map((bot) => ({ ...bot, placements: bot.placements.map((placement) => ({ ...placement })) })),
  orders: state.orders.map((order) => ({ ...order })),
  payloads: state.payloads.map((payload) => ({ ...payload })),
  creates: [...state.creates],
  replies: [...state.replies]
})

/** Everything that can happen next, named. */
export const next = (
  state: ModelState,
  bounds: Bounds,
  without: ReadonlySet<Rule>
): ReadonlyArray<readonly [string, ModelState]> => {
  const out: Array<readonly [string, ModelState]> = []
  const push = (name: string, change: (state: ModelState) => void) => {
    const changed = copy(state)
    change(changed)
    out.push([name, changed])
  }
  for (let index = 0; index < state.bots.length; index += 1) botSteps(state, index, bounds, without, push)
  venueSteps(state, bounds, push)
  return out
}

type Push = (name: string, change: (state: ModelState) => void) => void

/** A clone of the journal plans the same placements, with the same fingerprints, in the same slot. */
const botSteps = (state: ModelState, index: number, bounds: Bounds, without: ReadonlySet<Rule>, push: Push): void => {
  const bot = state.bots[index]
  if (bot === undefined) return
  const on = (name: string, change: (bot: Bot, state: ModelState) => void) =>
    push(`${name}${index === 0 ? "" : " (clone)"}`, (changed) => {
      const own = changed.bots[index]
      if (own !== undefined) change(own, changed)
    })
  if (!bot.isUp) {
    return on("restart", (own) => {
      own.isUp = true
    })
  }
  if (state.crashes > 0) {
    on("crash", (own, changed) => {
      changed.crashes -= 1
      own.isUp = false
      own.next = ""
    })
  }
  const number = bot.placements.length - 1
  const last = bot.placements[number]
  if (state.crashes > 0 && without.has("the journal loses nothing") && last?.funding === "sent") {
    on("crash that loses the last record", (own, changed) => {
      changed.crashes -= 1
      own.isUp = false
      own.next = ""
      const lost = own.placements[number]
      if (lost !== undefined) lost.funding = "signed"
    })
  }
  const isFree = last === undefined || last.state === "over"
  if (isFree && bot.placements.length < bounds.placements) {
    on("plan", (own) => {
      own.placements.push({ state: "planned", order: -1, funding: "none", payload: -1, isCancelled: false })
    })
  }
  for (let which = 0; which <= number; which += 1) placementSteps(state, bot, which, bounds, without, on)
}

type On = (name: string, change: (bot: Bot, state: ModelState) => void) => void

const placementSteps = (
  state: ModelState,
  bot: Bot,
  which: number,
  bounds: Bounds,
  without: ReadonlySet<Rule>,
  on: On
): void => {
  const placement = bot.placements[which]
  if (placement === undefined) return
  const step = (name: string, change: (placement: Placement, bot: Bot, state: ModelState) => void) =>
    on(name, (own, changed) => {
      const current = own.placements[which]
      if (current !== undefined) change(current, own, changed)
    })
  const isLast = which === bot.placements.length - 1
  const order = state.orders[placement.order]
  const payload = state.payloads[placement.payload]
  const reopens = without.has("an abandoned placement stays abandoned") && placement.funding === "none"

  if (isLast && placement.state === "planned" && state.posts < bounds.posts && bot.next === "") {
    step("record the create", (current, own) => {
      current.state = "creating"
      own.next = "post"
    })
  }
  if (isLast && placement.state === "creating" && bot.next === "post") {
    step("post", (_, own, changed) => {
      own.next = ""
      changed.posts += 1
      changed.creates.push(which)
    })
  }
  const isBindable = placement.state === "creating" || (placement.state === "over" && reopens)
  if (isBindable && bot.next === "") {
    const answered = state.replies.find((reply) => state.orders[reply]?.placement === which)
    const listed = state.orders.findIndex((found) => found.placement === which && found.isListed)
    for (const [name, found] of [
      ["bind by the answer", answered],
      ["bind by the list", listed]
    ] as const) {
      if (found === undefined || found < 0) continue
      step(name, (current) => {
        current.state = "bound"
        current.order = found
      })
    }
  }
  const isUnsigned = placement.funding === "none" && bot.next !== "record"
  if (placement.state !== "over" && isUnsigned) {
    step("abandon", (current, own) => {
      current.state = "over"
      own.next = ""
    })
  }
  if (placement.state !== "bound" || order === undefined) return

  const maySign = !placement.isCancelled
  const isJournaledFirst = !without.has("journal the payload before it is sent")
  if (placement.funding === "none" && maySign && bot.next === "" && state.payloads.length < 4) {
    if (isJournaledFirst) {
      step("sign", (current, _, changed) => {
        current.funding = "signed"
        current.payload = changed.payloads.push(newPayload(current.order)) - 1
      })
    } else {
      step("sign and submit", (current, own, changed) => {
        own.next = "record"
        changed.payloads.push({ ...newPayload(current.order), isSent: true })
      })
    }
  }
  if (bot.next === "record") {
    step("record what was submitted", (current, own, changed) => {
      own.next = ""
      current.funding = "sent"
      current.payload = changed.payloads.findLastIndex((sent) => sent.order === current.order)
    })
  }
  if (payload === undefined) return
  const isCertain = placement.funding === "signed" || placement.funding === "sent"
  if (isCertain && bot.next === "" && !payload.isSent && maySign) {
    step("record the submission", (current, own) => {
      current.funding = "sent"
      own.next = "submit"
    })
  }
  if (bot.next === "submit") {
    step("submit", (current, own, changed) => {
      own.next = ""
      const sent = changed.payloads[current.payload]
      if (sent !== undefined) sent.isSent = true
    })
  }
  if (without.has("one payload for a placement") && placement.funding === "sent" && state.payloads.length < 3) {
    step("sign again", (current, _, changed) => {
      current.funding = "signed"
      current.payload = changed.payloads.push(newPayload(current.order)) - 1
    })
  }
  if (payload.isAnswered && placement.funding === "sent") {
    step("acknowledge", (current) => {
      current.funding = "acknowledged"
    })
  }
  if (order.isDepositShown && placement.funding !== "seen") {
    step("see the deposit", (current) => {
      current.funding = "seen"
    })
  }
  if (!placement.isCancelled) {
    step("cancel", (current, _, changed) => {
      current.isCancelled = true
      const asked = changed.orders[current.order]
      if (asked !== undefined) asked.isCancelAsked = true
    })
  }
  const why = endOf(placement, order, payload, bot, without)
  if (why !== undefined) {
    step(why, (current, own) => {
      current.state = "over"
      own.next = ""
    })
  }
}

const newPayload = (order: number): Payload => ({
  order,
  isSent: false,
  isExecuted: false,
  isExpired: false,
  isAnswered: false
})

/** Why a placement may be taken for over, if it may. */
const endOf = (
  { funding, isCancelled }: Placement,
  order: Order,
  payload: Payload,
  { next }: Bot,
  without: ReadonlySet<Rule>
): string | undefined => {
  const isSeen = funding === "seen" || order.isDepositShown
  if (funding === "seen" && order.isTerminal) return "see the end"
  if (isCancelled && without.has("a cancel that was asked for is not an end")) return "take a cancel for an end"
  if (funding === "seen" && without.has("absence from a list is not an end")) return "take silence for an end"
  if (isSeen || next === "submit") return undefined
  if (!payload.isExpired && !without.has("no payload is dead before its deadline")) return undefined
  if (funding === "signed") return "give up what was never sent"
  if (funding === "sent" && order.isTerminal) return "end the doubt by the end of its order"
  // The operator looks it up, and says what is true.
  if (funding === "sent" && !payload.isExecuted && payload.isExpired) return "end the doubt by the operator's word"
  if (funding === "sent" && without.has("what was sent is not dead by silence")) return "take silence for a death"
  if (funding === "sent" && without.has("no payload is dead before its deadline")) return "give up too early"
  if (funding === "acknowledged" && without.has("what was acknowledged has happened"))
    return "forget an acknowledgement"
  return undefined
}

const venueSteps = (state: ModelState, bounds: Bounds, push: Push): void => {
  state.creates.forEach((placement, index) => {
    push("lose a create", ({ creates }) => {
      creates.splice(index, 1)
    })
    for (const copies of [1, 2]) {
      if (state.orders.length + copies > bounds.orders) continue
      push(copies === 1 ? "create" : "create twice", ({ creates, orders, replies }) => {
        creates.splice(index, 1)
        replies.push(orders.length)
        for (let made = 0; made < copies; made += 1) orders.push(newOrder(placement))
      })
    }
  })
  state.replies.forEach((_, index) => {
    push("lose an answer", ({ replies }) => {
      replies.splice(index, 1)
    })
  })
  state.orders.forEach((order, index) => {
    const change = (name: string, changes: Partial<Order>) =>
      push(name, ({ orders }) => {
        orders[index] = { ...order, ...changes }
      })
    if (!order.isListed) change("list an order", { isListed: true })
    if (order.deposits > 0 && !order.isDepositShown) change("show a deposit", { isDepositShown: true })
    const isPastDeadline = state.payloads.every((payload) => payload.order !== index || payload.isExpired)
    const mayEnd = order.isCancelAsked || (isPastDeadline && state.payloads.some((payload) => payload.order === index))
    if (!order.isTerminal && mayEnd) change("end an order", { isTerminal: true })
  })
  state.payloads.forEach((payload, index) => {
    const change = (name: string, changes: Partial<Payload>) =>
      push(name, ({ payloads }) => {
        payloads[index] = { ...payload, ...changes }
      })
    if (payload.isSent && !payload.isExecuted && !payload.isExpired) {
      push("execute", ({ orders, payloads }) => {
        payloads[index] = { ...payload, isExecuted: true }
        const order = orders[payload.order]
        if (order !== undefined) order.deposits += 1
      })
    }
    if (payload.isExecuted && !payload.isAnswered) change("answer", { isAnswered: true })
    if (!payload.isExpired) change("expire", { isExpired: true })
  })
}

const newOrder = (placement: number): Order => ({
  placement,
  isListed: false,
  deposits: 0,
  isDepositShown: false,
  isTerminal: false,
  isCancelAsked: false
})
