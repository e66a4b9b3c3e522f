/** `limitbot people`: manages who may read or command a bot. A token goes to a file that only you can read and is never printed. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { roles } from "../../control/api/OperatorCommands.ts"
import * as People from "../../control/http/People.ts"
import { iso } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

const columns = Table.of<People.Person>([
  { key: "name", title: "NAME", value: ({ name }) => name },
  { key: "role", title: "ROLE", value: ({ role }) => role },
  { key: "since", title: "SINCE", value: ({ since }) => iso(since) }
])

export const command = Command.make(
  "people",
  {
    who: flags.optionalArgument("name", "A name, as recorded in the journal; default: list everyone"),
    role: flags.choice(
      "role",
      roles,
      "Add NAME. viewer: reads. trader: also pauses, resumes, cancels and kills. operator: also swaps, edits and everything else"
    ),
    out: flags.file("out", "With --role: the file for the token; it must not exist"),
    revoke: flags.toggle("revoke", "Remove NAME"),
    page: flags.file("page", "The file that `fleet dashboard` was started with: people of that page, not of a bot"),
    config: flags.config,
    csv: flags.csv,
    json: flags.json
  },
  Effect.fn(function* ({ config, out, page, revoke, role, who, ...form }) {
    const journal = page !== undefined ? page : (yield* ConfigFile.loadSettings(config)).journal
    const listed = Effect.map(People.list(journal), (people) => Answer.ofList(columns, people, "Nobody is listed."))
    if (who === undefined && role === undefined && !revoke) return yield* Answer.print(listed, form)
    if (who !== undefined && role !== undefined && out !== undefined && !revoke) {
      yield* People.add(journal, { who, role }, (token) => KeyFile.writeSecret(out, token))
      return yield* Console.log(`${who} is a ${role} now. The token is in ${out}: hand it on, and remove the file.`)
    }
    if (who === undefined || role !== undefined || !revoke)
      return yield* wrongUsage("Use NAME --role ROLE --out FILE, or NAME --revoke")
    yield* People.revoke(journal, who)
    yield* Console.log(`${who} is removed, and the token no longer works.`)
  })
).pipe(
  flags.help("List the people who may read or command a bot; add one with a role and a token, or revoke one", {
    "limitbot people bea --role trader --out bea.token": "Add bea, with a token in that file",
    "limitbot people bea --revoke": "The token no longer works"
  })
)
