/** `limitbot walk-forward FILE --data CSV --set …`: what searching the past would have gained in the future. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { html } from "../../app/search/view/WalkForwardReport.ts"
import { json, lines } from "../../app/search/view/WalkForwardSummary.ts"
import { run } from "../../app/search/WalkForwardRun.ts"
import * as flags from "../flags.ts"
import { say, searchFlags } from "./searchFlags.ts"

export const command = Command.make(
  "walk-forward",
  {
    ...searchFlags,
    windows: Flag.Int("windows").pipe(
      Flag.withDescription("How many stretches to try the best on (default: 6)"),
      Flag.withDefault(6)
    ),
    train: Flag.Finite("train").pipe(
      Flag.withDescription("How many times a stretch's length to search on before it (default: 3)"),
      Flag.withDefault(3)
    ),
    anchored: flags.toggle("anchored", "Search on everything before, instead of a window that moves along"),
    report: flags.report
  },
  Effect.fn(function* (input) {
    yield* say(input, yield* run(input), { html, json, lines })
  }, Effect.scoped)
).pipe(Command.withDescription("Search the past, try the best on what came after, again and again"))
