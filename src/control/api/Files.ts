/** Strategy files as the API shows them, and texts to replace them. */
import { Schema } from "effect"

const longestText = 200_000

export const FileText = Schema.Struct({
  /** A file of the running bot, named as in the list of files; no other file is read or written. */
  file: Schema.String.check(Schema.isMaxLength(1_000)),
  text: Schema.String.check(Schema.isMaxLength(longestText))
})
export type FileText = typeof FileText.Type

export const StrategyFileView = Schema.Struct({
  file: Schema.String,
  /** Null if the file cannot be read. */
  strategy: Schema.NullOr(Schema.String),
  text: Schema.String,
  /** Hash of the text on disk. An edit names it, so that it cannot overwrite another person's change unseen. */
  hash: Schema.String,
  isRunning: Schema.Boolean,
  problems: Schema.Array(Schema.String)
})
export type StrategyFileView = typeof StrategyFileView.Type
