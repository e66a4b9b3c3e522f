/** `npm run soak -- --days 90`: one line a sample, and what grew that should not. */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { growth, run } from "./Soak.ts"

const { values } = parseArgs({
  options: {
    days: { type: "string", default: "90" },
    samples: { type: "string", default: "30" },
    seed: { type: "string", default: "1" }
  }
})
const begun = Date.now()
const samples = await Effect.runPromise(
  run({ days: Number(values.days), samples: Number(values.samples), seed: Number(values.seed) }, (sample) =>
    process.stdout.write(`${JSON.stringify({ ...sample, seconds: Math.round((Date.now() - begun) / 1000) })}\n`)
  )
)
const grew = growth(samples)
process.stdout.write(grew.length === 0 ? "Flat.\n" : `${grew.join("\n")}\n`)
process.exitCode = grew.length === 0 ? 0 : 1
