/** A bot as its chats and receivers see it. Its turns end as `pulse` says, and a test asks nothing of it. */
import { Effect } from "effect"
import type { ChatBot } from "../../../src/control/notify/ChatOperator.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import type { Pulse } from "../../../src/views/Pulse.ts"
import { assetsBySymbol as assets } from "../bitcoin.ts"

export const chatBot = (pulse: Pulse): ChatBot => ({
  ...pulse,
  assets,
  strategies: () => [],
  wake: Effect.void,
  withdrawPlacements: () => Effect.void,
  setKillSwitch: () => Effect.void,
  services: {
    plan: () => Effect.die("nobody plans"),
    explain: () => Effect.succeed([]),
    orders: {
      list: Effect.succeed([]),
      place: () => Effect.die("nobody orders"),
      change: () => Effect.die("nobody orders"),
      cancel: () => Effect.die("nobody orders")
    }
  },
  releaseKillSwitch: Effect.void,
  reload: () => Effect.succeed({ objection: "", note: "" }),
  stuckAfter: defaultTerms
})
