/** Uses Node's structured clone, which keeps maps and whole numbers of any size. */
import { deserialize, serialize } from "node:v8"
import type { FoldSnapshot } from "../../journal/snapshots/Snapshots.ts"
import type { BotState } from "./BotState.ts"

export const fold = "state"

export const encode = (state: BotState): FoldSnapshot => ({ sequence: state.sequence, body: serialize(state) })

/** Only the program that wrote the bytes reads them (see `Snapshots`), so they match the input of `encode`. */
export const decode = ({ body }: FoldSnapshot): BotState => deserialize(body)
