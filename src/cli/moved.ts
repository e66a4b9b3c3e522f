/** Accepts old words of commands for one release. A word in capitals stands for the next argument after the old words. */
import { Console, Effect } from "effect"
import { wrongUsage } from "../process/WrongUsage.ts"

const moved: Readonly<Record<string, string>> = {
  approve: "signer approve",
  balances: "money --at-venue",
  canary: "check --service",
  "cancel-all": "pause --cancel",
  containment: "check --containment",
  dashboard: "status --dashboard",
  "data calibrate": "data --calibrate",
  "data convert": "data FILE --out FILE",
  "data info": "data",
  doctor: "check",
  drain: "pause --cancel",
  dust: "money --dust",
  evidence: "orders",
  "fleet apply": "fleet --apply",
  "fleet kill": "kill --account NAME",
  "fleet pause": "pause --account NAME",
  "fleet remove": "fleet --remove",
  "fleet resume": "resume --account NAME",
  "fleet status": "fleet",
  "key export": "signer key --open",
  "key import": "signer key --seal",
  "key new": "signer key",
  keygen: "signer key",
  migrate: "check --upgrade",
  "migrate --report": "check --upgrade",
  "monte-carlo": "search --by monte-carlo",
  "notify test": "check --notify",
  "people add": "people",
  "people list": "people",
  "people revoke": "people --revoke",
  "plug-in check": "check --plug-in",
  "policy show": "signer policy",
  "policy sign": "signer policy",
  recover: "journal recover",
  release: "kill --off",
  schema: "init --schema",
  shield: "swap --to confidential",
  stuck: "orders --stuck",
  "swap list": "swap --list",
  "swap withdrawals": "history --payouts",
  swaps: "swap --list",
  "swaps withdrawals": "history --payouts",
  sweep: "search --by sweep",
  unshield: "swap --to public",
  "walk-forward": "search --by walk-forward"
}

export const presentWords = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const length = [2, 1].find((count) => moved[words.slice(0, count).join(" ")] !== undefined) ?? 0
  const old = words.slice(0, length).join(" ")
  const now = moved[old]?.split(" ")
  if (now === undefined) return words
  const message = `"${old}" is now "${now.join(" ")}"`
  const firstFlag = words.findIndex((word) => word.startsWith("-"))
  const values = words.slice(length, firstFlag < 0 ? words.length : firstFlag)
  const places = now.filter(isPlace).length
  if (places > 0 && places !== values.length) return yield* wrongUsage(message)
  yield* Console.error(`limitbot: ${message}`)
  return [...now.map((word) => (isPlace(word) ? (values.shift() ?? word) : word)), ...words.slice(length + places)]
})

const isPlace = (word: string): boolean => /^[A-Z]+$/.test(word)
