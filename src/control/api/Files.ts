/** Strategy files as the API shows them, and texts that are to replace them. */
import { Schema } from "effect"

/** Longest text of a strategy file that is taken. */
const longestText = 200_000

export const FileText = Schema.Struct({
  /** A file of the running bot, as the list of files names it; no other file is ever read or written. */
  file: Schema.String.check(Schema.isMaxLength(1_000)),
  text: Schema.String.check(Schema.isMaxLength(longestText))
})
export type FileText = typeof FileText.Type

export const StrategyFileView = Schema.Struct({
  file: Schema.String,
  /** The strategy that it holds, where it can be read. */
  strategy: Schema.NullOr(Schema.String),
  text: Schema.String,
  /** Hash of the text on disk: an edit names it, so that nobody's change is overwritten unseen. */
  hash: Schema.String,
  isRunning: Schema.Boolean,
  problems: Schema.Array(Schema.String)
})
export type StrategyFileView = typeof StrategyFileView.Type
