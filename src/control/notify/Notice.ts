/** Turns the journal's events into notices for people, graded by severity. */
import type { Recorded } from "../../domain/BotEvent.ts"
import { describe } from "../../report/text/EventLine.ts"
import type * as Money from "../../report/text/Money.ts"

export const severities = ["quiet", "good", "warn", "alarm"] as const
export type Severity = (typeof severities)[number]

export interface Notice {
  readonly at: number
  readonly severity: Severity
  readonly kind: string
  readonly subject: string
  readonly text: string
}

export interface NoticeRule {
  readonly least: Severity
  readonly kinds: ReadonlySet<string>
  readonly except: ReadonlySet<string>
}

export const isWanted = ({ except, kinds, least }: NoticeRule, { kind, severity }: Notice): boolean =>
  !except.has(kind) && (daily.has(kind) || kinds.has(kind) || severities.indexOf(severity) >= severities.indexOf(least))

/** Sent once a day to every receiver that does not exclude it, so that silence means a problem. */
export const daily: ReadonlySet<string> = new Set(["AllClear", "NotWell"])

/** The kind of notices of problems that no event reports. */
export const problemSeen = "ProblemSeen"

/** Returns `undefined` for events that mean nothing to a person. */
export const noticeOf = ({ at, event }: Recorded, assets: Money.Assets): Notice | undefined => {
  const line = describe(event, assets)
  return line === undefined
    ? undefined
    : { at, severity: line.weight, kind: event._tag, subject: line.subject, text: line.text }
}
