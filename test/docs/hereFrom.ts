/** Shell scripts of tests run commands of the program in the test's own process (`cli/here.ts`), through a socket. */
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { atEndOfFiles } from "../endOfFile.ts"
import { newFolder, runHere } from "../world/processes/program.ts"

interface Asked {
  readonly cwd: string
  readonly words: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
}

const client = `
const asked = { cwd: process.cwd(), words: process.argv.slice(2), environment: process.env }
require("node:http").request({ socketPath: process.argv[1], method: "POST" }, async (answer) => {
  const { code, stdout, stderr } = JSON.parse(Buffer.concat(await answer.toArray()))
  process.stderr.write(stderr)
  process.stdout.write(stdout)
  process.exitCode = code
}).end(JSON.stringify(asked))`

/** Bash that runs the command of its own words there, from its own folder and with its own environment. */
export const askHere = (socket: string): string => `exec "${process.execPath}" -e '${client}' "${socket}" "$@"`

const servers: Array<Server> = []
atEndOfFiles(() => {
  for (const server of servers.splice(0)) server.close()
})

/** `change` may add what a test needs for itself. Returns the socket. */
export const serveHere = (change: (words: ReadonlyArray<string>) => ReadonlyArray<string>): Promise<string> => {
  const server = createServer(async (request, response) => {
    const asked: Asked = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const { TMPDIR: _, ...environment } = asked.environment
    response.end(JSON.stringify(await runHere(change(asked.words), { cwd: asked.cwd, environment })))
  })
  servers.push(server)
  const socket = join(newFolder(), "here.sock")
  return new Promise((done) => server.listen(socket, () => done(socket)))
}
