/** `limitbot signer`: the process that holds the key, separate from the bot that holds the strategies; and keys and policies of all kinds. */
import { Command, Flag } from "effect/cli"
import { serve } from "../../signer/serving/Serving.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { key } from "./key.ts"
import { approve, policy, signerFile } from "./policy.ts"

export const command = Command.make(
  "signer",
  {
    socket: Flag.String("socket").pipe(
      Flag.withDescription("The Unix socket to listen on; only its owner can open it")
    ),
    group: flags.toggle("group", "The socket's group can open it as well: for a bot under another user"),
    config: signerFile
  },
  serve
).pipe(
  help("Hold the key in a separate process, with its own caps and record"),
  Command.withSubcommands([key, policy, approve])
)
