/**
 * I25: what a campaign must have come upon to count: every accident, every lie, everything that is done to a bot, and every
 * event that a bot of this world can record. A rule that nothing tries is not tested.
 */
import type { Tag } from "../../src/domain/BotEvent.ts"
import { accidents } from "../../src/rehearsal/world/Trouble.ts"
import { lieNames } from "./Lies.ts"
import { names as signerNames } from "./OddSigner.ts"
import type { Profile } from "./Plan.ts"
import { names as witnessNames } from "./Witnesses.ts"

const deeds = [
  "crash",
  "suspension",
  "clock step",
  "kill switch turned",
  "edit",
  "lease lost",
  "salts rotated",
  "deposit executed",
  "paused by hand",
  "killed between send and answer",
  ...witnessNames,
  ...signerNames
]

/** Events that need a person, another wallet, a day's turn, a real disk, files that are not there, or fees that change. */
const elsewhere = [
  "DiskFull",
  "DiskFreed",
  "LeaseLost",
  "FundingHeld",
  "BotStopped",
  "JournalMoved",
  "JournalRestored",
  "JournalBroken",
  "JournalCut",
  "WitnessDisagreed",
  "StrategiesRefused",
  "EditMended",
  "LoopFailed",
  "OrderMissing",
  "OrderBack",
  "Reopened",
  "TakenBack",
  "WrittenOff",
  "Found",
  "PlanFailed",
  "PlanMended",
  "StrategyRemoved",
  "EquityMarked",
  "PaymentAsked",
  "PaymentAskedAgain",
  "PaymentMade",
  "PaymentUnclear",
  "PaymentReported",
  "Resolved",
  "FeesEstimated",
  "CapitalMoved",
  "ServiceCompared",
  "AlertReached",
  "AlertUnpriced"
] as const satisfies ReadonlyArray<Tag>

const events = {
  safety: [],
  hostile: ["LegFailed", "OddOrderSeen", "Contradiction"],
  liveness: ["LegClosed"],
  always: [
    "BotStarted",
    "BudgetAllotted",
    "StrategyLoaded",
    "ClockCompared",
    "KillSwitch",
    "VenueDown",
    "VenueUp",
    "Decided",
    "Denied",
    "Deferred",
    "Planned",
    "CreateSent",
    "CreateRefused",
    "Bound",
    "FeeEchoed",
    "Abandoned",
    "OrphanSeen",
    "OrphanCancelled",
    "FundingSigned",
    "FundingSent",
    "FundingAcknowledged",
    "FundingAnswered",
    "FundingDead",
    "FundingInDoubt",
    "DepositSeen",
    "StatusSeen",
    "FillSeen",
    "CancelRequested",
    "CancelSent",
    "CancelRefused",
    "Closed",
    "PayoutStarted",
    "PaidOut",
    "Refunded",
    "Settled",
    "Paused",
    "Resumed"
  ]
} as const satisfies Record<Profile | "always", ReadonlyArray<Exclude<Tag, (typeof elsewhere)[number]>>>

/** What episodes of these profiles together must reach. */
export const expected = (profiles: ReadonlyArray<Profile>): ReadonlyArray<string> => [
  ...[...accidents, "outage", "rateLimited"].map((fate) => `request ${fate}`),
  ...deeds,
  ...events.always,
  ...profiles.flatMap((profile) => events[profile]),
  ...(profiles.includes("hostile") ? ["anomaly with its alert", ...lieNames.map((lie) => `lie: ${lie}`)] : []),
  ...(profiles.includes("liveness") ? ["dust booked", "dust swept"] : [])
]
