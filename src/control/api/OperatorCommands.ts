/** Defines the operator's commands for the command line, API, agents, chats and page. Imports nothing, so that the page can load it. */

/** A signaller only sends signals; a viewer reads; a trader steers the strategies, also by signals; an operator does everything. */
export const roles = ["signaller", "viewer", "trader", "operator"] as const
export type TokenRole = (typeof roles)[number]

const opens: Readonly<Record<TokenRole, ReadonlyArray<TokenRole>>> = {
  signaller: ["signaller"],
  viewer: ["viewer"],
  trader: ["signaller", "viewer", "trader"],
  operator: roles
}
export const mayAs = (role: TokenRole, needed: TokenRole): boolean => opens[role].includes(needed)

export interface OperatorCommand {
  /** A trader pauses, cancels and resumes; only the operator ends the kill switch or changes the rules for money. */
  readonly role: Extract<TokenRole, "trader" | "operator">
  /** `strategies`: one strategy, or all of them if left out. */
  readonly needs: "strategies" | "strategy" | "slot" | "nothing"
  /** The exact words that confirm it, so that no stray request and no single click triggers it. */
  readonly confirm?: string
  readonly title: string
  readonly does: string
  /** Shown to a user who is about to confirm the command. */
  readonly means: string
  /** The preview that an agent must show first; if absent, an agent may not run the command. */
  readonly shows?: "staying" | "withdrawn" | "plan"
  readonly isInChats?: true
}

export const operatorCommands = {
  pause: {
    role: "trader",
    needs: "strategies",
    title: "Pause",
    does: "Place no new orders; open orders stay and are still tracked",
    means: "No new orders are placed. Open orders stay and are still tracked.",
    shows: "staying",
    isInChats: true
  },
  resume: {
    role: "trader",
    needs: "strategies",
    title: "Resume",
    does: "Let a paused strategy trade again",
    means: "Orders are placed again.",
    shows: "plan",
    isInChats: true
  },
  drain: {
    role: "trader",
    needs: "strategy",
    title: "Drain",
    does: "Pause a strategy, cancel its orders and get their money back",
    means: "The strategy is paused and its orders are cancelled; their money is refunded.",
    shows: "withdrawn"
  },
  cancel: {
    role: "trader",
    needs: "slot",
    title: "Cancel order",
    does: "Cancel the order of one slot; its strategy may place it again",
    means: "The order is cancelled and its money is refunded; the strategy may place it again.",
    shows: "withdrawn"
  },
  "cancel-all": {
    role: "trader",
    needs: "nothing",
    confirm: "cancel all",
    title: "Cancel all",
    does: "Pause every strategy and cancel every order",
    means:
      "Every strategy is paused and every order cancelled; the money is refunded. Resume each strategy when you want it to trade.",
    shows: "withdrawn"
  },
  kill: {
    role: "trader",
    needs: "nothing",
    confirm: "kill",
    title: "Kill",
    does: "Stop all payments and cancel every order",
    means: "Stops all payments and cancels every order. Stays on after a restart until you release it.",
    shows: "withdrawn",
    isInChats: true
  },
  release: {
    role: "operator",
    needs: "nothing",
    title: "Release",
    does: "Switch the kill switch off again",
    means: "The kill switch is off: the bot trades again.",
    shows: "plan"
  },
  reload: {
    role: "operator",
    needs: "nothing",
    title: "Reload",
    does: "Read the strategy files now",
    means: "The strategy files are read and valid changes applied."
  }
} as const satisfies Readonly<Record<string, OperatorCommand>>

export type CommandName = keyof typeof operatorCommands
const isCommand = (name: string): name is CommandName => name in operatorCommands
export const commandNames: ReadonlyArray<CommandName> = Object.keys(operatorCommands).filter(isCommand)
export const commandOf = (name: CommandName): OperatorCommand => operatorCommands[name]

export const operatorWords = {
  paid: { title: "It was paid", means: "The payment was made, or missing money has arrived", taken: "paid" },
  "not-paid": {
    title: "It was not paid",
    means: "The payment was not made: its money is free again",
    taken: "not paid"
  },
  adopt: {
    title: "The venue is right",
    means: "The venue is right: the slot continues from the venue's report",
    taken: "the venue reports it"
  },
  forget: {
    title: "Forget it",
    means: "Write it off: its money counts as lost unless it arrives later",
    taken: "written off: its money counts as lost"
  }
} as const
