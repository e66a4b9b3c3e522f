/** What commands may know of the process they run in. */
import { Context } from "effect"

export class Process extends Context.Service<
  Process,
  {
    readonly pid: number
    /** Program and arguments with which this program was started. */
    readonly execPath: string
  }
>()("limitbot/cli/Process") {}
