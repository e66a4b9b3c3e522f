/**
 * `limitbot people add|list|revoke`: who may look at a bot or command it besides whoever owns its machine. A token is written into a
 * file that only you can read, for you to hand on; it is never printed, and a running bot knows at once who came and who went.
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { roles } from "../../control/api/OperatorCommands.ts"
import * as People from "../../control/http/People.ts"
import { iso } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import * as Answer from "../../process/Answer.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

const who = Argument.String("name").pipe(Argument.withDescription("A name, as the journal shall say it"))

const of = {
  page: flags.file("page", "The file that `fleet dashboard` was started with: people of that page, not of a bot"),
  config: flags.config
}

const besideOf = ({ config, page }: { readonly config: string; readonly page: Option.Option<string> }) =>
  Option.match(page, {
    onNone: () => Effect.map(ConfigFile.loadSettings(config), ({ journal }) => journal),
    onSome: Effect.succeed
  })

const adding = Command.make(
  "add",
  {
    who,
    role: Flag.Literals("role", roles).pipe(
      Flag.withDescription(
        "viewer: looks. trader: also pauses, resumes, withdraws and kills. operator: does everything, swaps and edits included"
      )
    ),
    out: flags.fileFlag("out").pipe(Flag.withDescription("The file for the token; it must not exist")),
    ...of
  },
  Effect.fn(function* ({ config, out, page, role, who }) {
    const journal = yield* besideOf({ config, page })
    yield* People.add(journal, { who, role }, (token) => KeyFile.writeSecret(out, token))
    yield* Console.log(`${who} is a ${role} now. The token is in ${out}: hand it on, and remove the file.`)
  })
).pipe(help("List somebody, and write a token for them"))

const columns = Table.of<People.Person>([
  { key: "name", title: "NAME", value: ({ name }) => name },
  { key: "role", title: "ROLE", value: ({ role }) => role },
  { key: "since", title: "SINCE", value: ({ since }) => iso(since) }
])

const listing = Command.make(
  "list",
  { ...of, csv: flags.csv, json: flags.json },
  Effect.fn(function* ({ config, page }) {
    const journal = yield* besideOf({ config, page })
    return Answer.ofList(columns, yield* People.list(journal), "Nobody is listed.")
  }, Answer.print)
).pipe(help("List who may look or command, and as what"))

const revoking = Command.make(
  "revoke",
  { who, ...of },
  Effect.fn(function* ({ config, page, who }) {
    const journal = yield* besideOf({ config, page })
    yield* People.revoke(journal, who)
    yield* Console.log(`${who} is no longer listed: the token opens nothing any more.`)
  })
).pipe(help("Take somebody off the list"))

export const command = Command.make("people").pipe(
  Command.withDescription("Say who else may look at a bot or command it, each with a role and a token of their own"),
  Command.withSubcommands([adding, listing, revoking])
)
