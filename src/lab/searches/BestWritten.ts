/**
 * `search --write`: puts the values of the best trial into the strategy file. A running bot applies a changed file, so with `--config` the
 * change is planned first, and not written if the plan is not safe. An edit made during the search is not overwritten.
 */
import { Effect, FileSystem, Result } from "effect"
import { laidOver, whole } from "../../files/StrategyFiles.ts"
import * as WholeFile from "../../journal/WholeFile.ts"
import { wordsOf } from "../../process/Failure.ts"
import { orWrong } from "../../process/WrongUsage.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as SweepSpace from "../backtest/search/SweepSpace.ts"
import * as LineDiff from "../runs/view/LineDiff.ts"

export type BestWritten = Effect.Success<ReturnType<typeof write>>

const planOf = Effect.fnUntraced(function* (file: string, config: string) {
  const { planned } = yield* Effect.promise(() => import("../../app/plan/Planning.ts"))
  return yield* planned({ files: [file], config, journal: undefined, allow: [], json: false })
}, Effect.result)

export const write = Effect.fn("BestWritten.write")(function* (
  { file, text: searched }: Pick<Strategy, "file" | "text">,
  config: string | undefined,
  space: ReadonlyArray<SweepSpace.Dimension>,
  values: ReadonlyArray<string> | undefined
) {
  const fileSystem = yield* FileSystem.FileSystem
  const before = yield* Effect.orElseSucceed(fileSystem.readFileString(file), () => "")
  const isEdited = (yield* whole(file, before)) !== searched
  if (isEdited || values === undefined) {
    const why = isEdited ? "it was edited during the search; search again" : "no trial meets the conditions"
    return { said: `${file} is not changed: ${why}`, isWithheld: true, changes: [], plan: undefined }
  }
  const text = (yield* orWrong(SweepSpace.template(before, space))).text(values)
  const isPlanned = text !== before && config !== undefined
  const planning = isPlanned ? yield* laidOver([{ file, text }])(planOf(file, config)) : undefined
  const plan = planning && Result.getOrUndefined(planning)
  const changes = LineDiff.changedLines(before, text)
  const answer = (said: string, isWithheld: boolean) => ({ said: `${file} ${said}`, isWithheld, changes, plan })
  if (plan?.exit !== undefined) return answer("is not changed: its plan is not safe", true)
  if (text === before) return answer("has the best values already", false)
  // A rename would replace a symbolic link and lose the mode.
  const target = yield* fileSystem.realPath(file)
  const { mode } = yield* fileSystem.stat(target)
  yield* WholeFile.writeAtomically(target, text)
  yield* fileSystem.chmod(target, mode & 0o777)
  const unplanned = planning && Result.isFailure(planning) ? `. No plan: ${wordsOf(planning.failure)}` : ""
  return answer(`has the best values now; a running bot applies them${unplanned}`, false)
})
