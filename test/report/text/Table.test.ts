/** A list says the same to people, programs and spreadsheets, because its columns are declared once; one place prints it. */
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import * as Answer from "../../../src/process/Answer.ts"
import * as Table from "../../../src/report/text/Table.ts"

interface Fruit {
  readonly name: string
  readonly grams: number
  readonly origin: string | undefined
}

const hasSecret = false
const list = Table.of<Fruit>([
  { key: "name", title: "NAME", value: ({ name }) => name },
  { key: "grams", title: Table.right("WEIGHT"), value: ({ grams }) => grams, text: ({ grams }) => `${grams} g` },
  { key: "origin", title: "FROM", value: ({ origin }) => origin },
  { key: "id", value: ({ name }) => `=${name}` },
  hasSecret && { key: "secret", title: "SECRET", value: () => "secret" }
])
const fruits: ReadonlyArray<Fruit> = [
  { name: "fig", grams: 50, origin: "TR" },
  { name: "pomelo", grams: 1200, origin: undefined }
]

class Rotten extends Error {}

const printed = (answer: Answer.CommandAnswer, form: { readonly json: boolean; readonly csv?: boolean }) =>
  Effect.gen(function* () {
    const said: Array<unknown> = []
    const console: Console.Console = { ...globalThis.console, log: (text: unknown) => void said.push(text) }
    const exit = yield* Answer.print(Effect.succeed(answer), form).pipe(
      Effect.provideService(Console.Console, console),
      Effect.flip,
      Effect.orElseSucceed(() => undefined)
    )
    return { said, exit }
  })

describe("a list", () => {
  it("is aligned for people, named for programs, and harmless in a spreadsheet", () => {
    assert.deepStrictEqual(list.lines(fruits), ["NAME    WEIGHT  FROM", "fig       50 g  TR", "pomelo  1200 g  -"])
    assert.deepStrictEqual(list.json(fruits), [
      { name: "fig", grams: 50, origin: "TR", id: "=fig" },
      { name: "pomelo", grams: 1200, origin: null, id: "=pomelo" }
    ])
    assert.strictEqual(list.csv(fruits), "name,grams,origin,id\r\nfig,50,TR,'=fig\r\npomelo,1200,,'=pomelo\r\n")
  })

  it.effect("is printed in the requested form, and says when it is empty", () =>
    Effect.gen(function* () {
      const some = Answer.ofList(list, fruits.slice(0, 1), "No fruit.")
      const none = Answer.ofList(list, [], "No fruit.")
      assert.deepStrictEqual((yield* printed(some, { json: false })).said, ["NAME  WEIGHT  FROM\nfig     50 g  TR"])
      assert.deepStrictEqual((yield* printed(none, { json: false })).said, ["No fruit."])
      assert.deepStrictEqual((yield* printed(none, { json: true })).said, ["[]"])
      assert.deepStrictEqual((yield* printed(none, { json: false, csv: true })).said, ["name,grams,origin,id"])
    })
  )

  it.effect("is printed before the error if it fails its command", () =>
    Effect.gen(function* () {
      const rotten = new Rotten("rotten")
      const answer = { data: () => ({ ok: false }), lines: () => ["rotten"], exit: rotten }
      assert.deepStrictEqual(yield* printed(answer, { json: true }), { said: ['{"ok":false}'], exit: rotten })
      const both = yield* printed(answer, { json: true, csv: true })
      assert.deepStrictEqual(both.said, [])
      assert.match(`${both.exit}`, /exclude each other/)
    })
  )
})
