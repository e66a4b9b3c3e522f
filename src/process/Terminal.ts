/** Provides the screen for output and questions: its kind, its size, and redrawing in place. */
import { Console, Context, Effect, Layer, type Scope } from "effect"
import { Prompt } from "effect/cli"

interface OutputStream {
  readonly isTTY?: boolean
  readonly rows?: number
  readonly columns?: number
  /** Node's own decision, which respects NO_COLOR and FORCE_COLOR. */
  hasColors?(): boolean
  write(text: string): unknown
}

export class Terminal extends Context.Service<
  Terminal,
  {
    readonly isInteractive: boolean
    readonly colours: boolean
    readonly rows: () => number
    readonly columns: () => number
    readonly ownScreen: Effect.Effect<void, never, Scope.Scope>
    redraw(lines: ReadonlyArray<string>): Effect.Effect<void>
  }
>()("limitbot/app/process/Terminal") {
  /** `kind` is the environment's TERM; a dumb terminal cannot be redrawn. */
  static readonly layer = (stream: OutputStream, kind: string | undefined) => {
    const write = (text: string) => Effect.sync(() => void stream.write(text))
    const isInteractive = stream.isTTY === true && kind !== "dumb"
    return Layer.succeed(
      Terminal,
      Terminal.of({
        isInteractive,
        colours: isInteractive && stream.hasColors?.() === true,
        rows: () => stream.rows ?? 24,
        columns: () => stream.columns ?? 80,
        ownScreen: Effect.asVoid(
          Effect.acquireRelease(write("\u001B[?1049h\u001B[?25l\u001B[2J"), () => write("\u001B[?25h\u001B[?1049l"))
        ),
        // Each line is cleared after its text, in a single write, so that nothing flickers.
        redraw: (lines) => write(`\u001B[H${lines.join("\u001B[K\n")}\u001B[K\u001B[J`)
      })
    )
  }
}

export const ask = <A>(prompt: Prompt.Prompt<A>) =>
  Prompt.run(prompt).pipe(Effect.tapErrorTag("QuitError", () => Console.log("")))
