/** The checks of a notifier: it must accept every message that a bot may send, one at a time, and confirm by its exit code. */
import { bodyOf } from "../../control/notify/channels.ts"
import * as command from "../../control/notify/command.ts"
import type { Notice } from "../../control/notify/Notice.ts"
import type { Program } from "../../programs/Program.ts"
import * as Check from "./Check.ts"

/** A notifier that prints more on standard output than this has misunderstood something. */
const mostOutput = 16_384

const at = Date.UTC(2026, 0, 31, 12)
const notice = (text: string, severity: Notice["severity"] = "warn"): Notice => ({
  at,
  severity,
  kind: "Test",
  subject: "grid/cell-07",
  text
})
const message = (notices: ReadonlyArray<Notice>): string => bodyOf("plug-in check", notices, at)

const questions: ReadonlyArray<readonly [check: string, body: string]> = [
  ["takes a message", message([notice("this is a test of a notifier")])],
  [
    "takes quotes, line breaks, markup and shell commands as text",
    message([notice(`"quoted" 'twice' \\ <b>&amp; $(true) \`true\` %s @everyone\n\tnext line ✓ ありがとう`, "alarm")])
  ],
  // A megabyte, which is more than a pipe holds: who ends without reading is found out.
  [
    "reads the longest message to its end",
    message(Array.from({ length: 20 }, (_, index) => notice(`${index + 1} ${"long ".repeat(10_000)}`)))
  ],
  [
    "ignores keys of a later version",
    JSON.stringify({
      ...JSON.parse(message([{ ...notice("with a new key"), kind: "NewKind" }])),
      added: { later: [1] }
    })
  ]
]

export const checked = (program: Program, limitMillis: number = command.terms.limitMillis) =>
  Check.programs(
    program,
    questions.map(([check, body]) => ({
      check,
      question: `${body}\n`,
      faultOf: (run) => {
        const failure = command.failureOf(run)
        if (failure !== undefined) return `it ${failure}`
        return run.hasTaken ? undefined : "it reported success, but ended before it read the message"
      }
    })),
    { environment: command.terms.environment, limitMillis, mostOutput }
  )
