/** Runs the command line. `--version` is answered before anything else is loaded. */
import { version } from "./version.ts"

if (process.argv[2] === "--version") {
  process.stdout.write(`limitbot v${version}\n`)
} else {
  const { launch } = await import("./cli/launch.ts")
  launch(process)
}
