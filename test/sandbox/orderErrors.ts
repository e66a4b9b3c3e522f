/** Section 7 of the interface: with which codes each endpoint of orders may answer. */
import type { orderErrorCodes } from "../../src/venue/wire/WireError.ts"

export type Code = keyof typeof orderErrorCodes

const overload = ["rate-limit-exceeded", "internal-error", "service-unavailable"] as const

const codes = {
  "create order": [
    "malformed-request",
    "validation-failed",
    "request-rejected",
    "order-rejected",
    "authentication-required",
    "client-generated-id",
    "resource-type-mismatch",
    ...overload
  ],
  "list orders": ["validation-failed", "authentication-required", ...overload],
  "cancel order": ["order-rejected", "authentication-required", "order-not-found", ...overload],
  "get order": ["authentication-required", "order-not-found", ...overload]
} as const

export type Endpoint = keyof typeof codes

/** Every pair of an endpoint and a code. */
export const orderErrors = Object.entries(codes).flatMap(([endpoint, of]) =>
  of.map((code) => [endpoint as Endpoint, code as Code] as const)
)
