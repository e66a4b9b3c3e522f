/** A pseudo-terminal of a given size, by `script` of util-linux: keys go in, and what a person would see can be waited for. */
import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { atEndOfFiles } from "../../endOfFile.ts"

const program = "/usr/bin/script"

export const hasTerminals = (): boolean => {
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export const ctrlC = "\u0003"

// biome-ignore lint/suspicious/noControlCharactersInRegex: the control sequences of a terminal
const sequences = /\u001B\[[0-9;?]*[A-Za-z]/g
/** Where a redrawn screen begins, and where it is complete: a long one arrives in pieces. */
const home = "\u001B[H"
const complete = "\u001B[J"
const clear = "\u001B[?1049"
const leave = `${clear}l`

export interface Terminal {
  readonly press: (keys: string) => void
  /** The last screen that was drawn to its end, without colours. */
  readonly screen: () => string
  /** What was printed after the screen was left. */
  readonly after: () => string
  /** Waits until the screen shows it, and returns that screen. */
  readonly shows: (what: RegExp) => Promise<string>
  readonly ended: Promise<number | null>
}

/** What a failed test leaves open is ended with its file: a program that goes on holds the output of the tests. */
const terminals = new Set<ChildProcess>()
atEndOfFiles(() => {
  for (const terminal of terminals) terminal.kill("SIGKILL")
})

const plain = (text: string): string => text.replace(sequences, "").replaceAll("\r", "")

export const open = (
  command: string,
  { cwd, columns, rows, environment }: { cwd: string; columns: number; rows: number; environment: NodeJS.ProcessEnv }
): Terminal => {
  const child = spawn(program, ["-qfec", `stty cols ${columns} rows ${rows}; exec ${command}`, "/dev/null"], {
    cwd,
    env: { ...environment, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"]
  })
  terminals.add(child)
  let seen = ""
  let isOver = false
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += text
  })
  const ended = new Promise<number | null>((done) => {
    child.on("close", (code) => {
      isOver = true
      terminals.delete(child)
      done(code)
    })
  })
  const screen = () => {
    const end = seen.lastIndexOf(complete)
    const start = end === -1 ? -1 : seen.lastIndexOf(home, end)
    return plain(start === -1 ? (seen.split(clear)[0] ?? "") : seen.slice(start, end))
  }
  const after = () => plain(seen.includes(leave) ? seen.slice(seen.lastIndexOf(leave)) : "")
  const shows = async (what: RegExp) => {
    for (;;) {
      const shown = [screen(), after()].find((text) => what.test(text))
      if (shown !== undefined) return shown
      if (isOver) throw new Error(`The terminal ended without showing ${what}:\n${plain(seen).slice(-3000)}`)
      await new Promise((later) => setTimeout(later, 50))
    }
  }
  return { press: (keys) => child.stdin.write(keys), screen, after, shows, ended }
}
