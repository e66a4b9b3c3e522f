/**
 * What an operator can tell a running bot, once for the command line, the API, agents, chats and the page. Data without code, so that
 * the page can have it too; what a command does to the bot is in `control/Operator.ts`.
 */

/** Who may do what: send signals and nothing else; look; steer what the strategies are allowed to do, also by signals; everything. */
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
  /** A trader pauses, withdraws and lets go on; what ends the kill switch or changes what money may do is the operator's. */
  readonly role: Extract<TokenRole, "trader" | "operator">
  /** What is named with it; `strategies`: one, or all of them when left out. */
  readonly needs: "strategies" | "strategy" | "slot" | "nothing"
  /** The exact words without which no stray request and no single click does it. */
  readonly confirm?: string
  /** As a button or a heading. */
  readonly title: string
  /** As a help text: what to use it for. */
  readonly does: string
  /** What becomes true, for who is about to agree to it. */
  readonly means: string
  /** What an agent shows before it does it; without it an agent may not. */
  readonly shows?: "staying" | "withdrawn" | "plan"
  /** Whether a chat may say it. */
  readonly isInChats?: true
}

export const operatorCommands = {
  pause: {
    role: "trader",
    needs: "strategies",
    title: "Pause",
    does: "Place nothing new; what rests stays, and its money is looked after",
    means: "Nothing new is placed. What rests stays, and its money is looked after.",
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
    does: "Pause a strategy, withdraw its orders and take their money back",
    means: "The strategy is paused and its orders are withdrawn; their money comes back.",
    shows: "withdrawn"
  },
  cancel: {
    role: "trader",
    needs: "slot",
    title: "Withdraw",
    does: "Withdraw the order of one slot; it is placed anew if its strategy still wants it",
    means: "The order is withdrawn and its money comes back; the slot is placed anew if its strategy still wants it.",
    shows: "withdrawn"
  },
  "cancel-all": {
    role: "trader",
    needs: "nothing",
    confirm: "cancel all",
    title: "Cancel all",
    does: "Pause every strategy and withdraw every order",
    means:
      "Every strategy is paused and every order withdrawn; the money comes back. Resume each strategy when you want it to trade.",
    shows: "withdrawn"
  },
  kill: {
    role: "trader",
    needs: "nothing",
    confirm: "kill",
    title: "Kill",
    does: "Stop all funding and withdraw every order",
    means: "Nothing more is signed and every order is withdrawn, also after a restart, until it is released.",
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
    means: "The strategy files are read, and what is sound in them is taken up."
  }
} as const satisfies Readonly<Record<string, OperatorCommand>>

export type CommandName = keyof typeof operatorCommands
const isCommand = (name: string): name is CommandName => name in operatorCommands
export const commandNames: ReadonlyArray<CommandName> = Object.keys(operatorCommands).filter(isCommand)
export const commandOf = (name: CommandName): OperatorCommand => operatorCommands[name]

/** What an operator can say of a payment or an order that nobody else can know about. */
export const operatorWords = {
  paid: {
    title: "It was paid",
    means: "The payment was made, or what failed or stayed unexplained arrived after all",
    taken: "paid"
  },
  "not-paid": {
    title: "It was not paid",
    means: "The payment was not made: its money is free again",
    taken: "not paid"
  },
  adopt: {
    title: "The venue is right",
    means: "The venue is right: the slot goes on with what it says",
    taken: "the venue says"
  },
  forget: {
    title: "Forget it",
    means: "Take it off the books: what it holds counts as lost, until it comes after all",
    taken: "forgotten: what it holds counts as lost"
  }
} as const
