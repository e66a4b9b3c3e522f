/** Every attack, by call. */
import type { Attack } from "./Attack.ts"
import { creates } from "./creates.ts"
import { reports } from "./reports.ts"

export const attacks: ReadonlyArray<Attack> = [...creates, ...reports]
