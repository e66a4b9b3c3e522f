/** The kinds of strategy that a file may name. */
import { grid } from "./grid.ts"
import type { Kind } from "./Kind.ts"
import { ladder } from "./ladder.ts"

export const kinds: ReadonlyArray<Kind> = [grid, ladder]
