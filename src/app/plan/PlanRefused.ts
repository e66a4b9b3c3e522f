/** Refuses `plan`, `run` and an edit of a running file because of findings that nobody allowed. */
import { Schema } from "effect"
import * as Runtime from "effect/Runtime"

/** If `isPrinted`, standard output already shows the findings; otherwise the message names them. */
export class PlanRefused extends Schema.TaggedError<PlanRefused>()("PlanRefused", {
  names: Schema.Array(Schema.String),
  findings: Schema.Array(Schema.String),
  isPrinted: Schema.Boolean
}) {
  override get message(): string {
    const allow = this.names.map((name) => `--allow ${name}`).join(" ")
    const findingLines = this.findings.map((finding) => `\n  ${finding}`).join("")
    return `Plan rejected: ${this.names.join(", ")}.${findingLines}${findingLines === "" ? " " : "\n"}Change the files, or allow each by name: ${allow}`
  }
  override readonly [Runtime.errorReported] = !this.isPrinted
}
