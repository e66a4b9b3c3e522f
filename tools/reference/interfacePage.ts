/** Every endpoint of the control API, from the contract that the server serves. */
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { NeededRole } from "../../src/control/api/Access.ts"
import { ControlApi } from "../../src/control/api/ControlApi.ts"
import type { JsonSchema } from "../../src/strategy/Fields.ts"
import { cell, pageOf, table } from "./page.ts"
import { inWords, isRequired, objectOf } from "./words.ts"

const titles: Readonly<Record<string, string>> = { look: "Look", command: "Command" }

const schemaIn = ({ content }: JsonSchema): JsonSchema =>
  objectOf(Object.values(objectOf(content)).map((each) => objectOf(each)["schema"])[0])

/** Whatever is sent: in the address, in a header, or as the body. */
const sentRows = ({ parameters, requestBody }: JsonSchema): ReadonlyArray<ReadonlyArray<string>> => {
  const body = schemaIn(objectOf(requestBody))
  return [
    ...(Array.isArray(parameters) ? parameters.map(objectOf) : []).map(({ in: where, name, required, schema }) => [
      `\`${name}${required === true ? "" : "?"}\``,
      `${where}`,
      inWords(objectOf(schema))
    ]),
    ...Object.entries(objectOf(body["properties"])).map(([name, schema]) => [
      `\`${name}${isRequired(body, name) ? "" : "?"}\``,
      "body",
      inWords(objectOf(schema))
    ])
  ]
}

const sectionOf = (method: string, path: string, operation: JsonSchema, role: string): string => {
  const rows = sentRows(operation)
  const answer = inWords(schemaIn(objectOf(objectOf(operation["responses"])["200"])))
  return [
    `### ${method} ${path}`,
    `${cell(`${operation["summary"]}`)}. ${role}`,
    rows.length === 0 ? "" : table(["name", "in", "value"], rows),
    `Answers with ${cell(answer)}.`
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

export const interfacePage = (): string => {
  const paths = objectOf(OpenApi.fromApi(ControlApi).paths)
  const parts: Array<string> = []
  HttpApi.reflect(ControlApi, {
    onGroup: ({ group }) => parts.push(`## ${titles[group.identifier]}`),
    onEndpoint: ({ endpoint, group }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      const operation = objectOf(objectOf(paths[path])[endpoint.method.toLowerCase()])
      const role = Context.get(endpoint.annotations, NeededRole)
      const needs = group.identifier === "look" ? "Any token but a signaller's." : `Needs the role \`${role}\`.`
      parts.push(sectionOf(endpoint.method, path, operation, needs))
    }
  })
  return pageOf(
    "The control API",
    'Every endpoint that a running bot serves beside its [dashboard](../surfaces.md#dashboard-and-control-api). The token is sent as `Authorization: Bearer TOKEN`; [roles](../surfaces.md#people-with-names) say who may do what. Bodies and answers are JSON; times are epoch milliseconds. What fails answers with `{"message": …}` and 400 (not understood), 401 (no token, or a wrong one), 403 (not permitted), 404 (no such strategy, slot or market) or 409 (refused: nothing has changed). The whole contract is the OpenAPI document at `/api/v1/openapi.json`, and in the package as `dist/openapi/control.json`. A part with a question mark may be missing.',
    parts
  )
}
