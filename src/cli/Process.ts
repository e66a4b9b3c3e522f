/** What commands may know about their process. */
import { Context } from "effect"

export class Process extends Context.Service<
  Process,
  {
    readonly pid: number
    /** Node, and the program that it was started with. */
    readonly execPath: string
    readonly script: string
  }
>()("limitbot/cli/Process") {}
