/** What a request holds, by its path. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
      value
    )

export interface Reply {
  readonly status: number
  readonly body: unknown
}

export const iso = (millis: number): string => new Date(millis).toISOString()

export const kinds = ["ORIGIN_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"]
export const recipientKinds = ["DESTINATION_CHAIN", "INTENTS", "CONFIDENTIAL_INTENTS"]
