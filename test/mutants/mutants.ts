/**
 * The rules of funding, each taken out of the real code: what the simulation must notice. A mutant is a few replacements of
 * text that occurs exactly once; `mutants.test.ts` holds that they still apply, `npm run mutants` that they are found.
 */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

export interface Mutant {
  readonly name: string
  readonly edits: ReadonlyArray<Edit>
}

const funding = "src/engine/funding/Funding.ts"
const payload = "src/domain/Payload.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "submit before journal",
    edits: [
      {
        file: funding,
        find: '    yield* record({\n      _tag: "FundingSigned",',
        replace:
          '    yield* Effect.ignore(venue.submitIntent(signed.success))\n    yield* record({\n      _tag: "FundingSigned",'
      }
    ]
  },
  {
    name: "re-sign on time-out",
    edits: [
      {
        file: funding,
        find: "    yield* submit(venue, placement.funding, settings, yield* VenueTime.now(books.state), {",
        replace: `    if (placement.funding.attempts > 0 && !placement.funding.acknowledged) {
      const anew = yield* venue.generateIntent(placement.order.depositAddress)
      const asset = JSON.parse(JSON.parse(placement.funding.signed).signedData.payload.message).intents[0].tokens
      const expected = {
        depositAddress: placement.order.depositAddress,
        asset: String(Object.keys(asset)[0]),
        amount: placement.inputAmount
      }
      const again = yield* Effect.orDie(guard.signTransfer(anew.value, expected))
      yield* Effect.ignore(venue.submitIntent(again))
    }
    yield* submit(venue, placement.funding, settings, yield* VenueTime.now(books.state), {`
      }
    ]
  },
  {
    name: "dead before deadline",
    edits: [
      {
        file: funding,
        find: "    if (now < funding.validUntil + settings.visibilityMillis) return\n",
        replace: ""
      },
      {
        file: payload,
        find: '  if (now < payload.validUntil + visibilityMillis || emptyReads < emptyReadsNeeded) return "wait"\n',
        replace:
          '  if (now < visibilityMillis || emptyReads < emptyReadsNeeded) return "wait"\n  if (!payload.acknowledged) return "never"\n'
      }
    ]
  },
  {
    name: "given up after a cancel request",
    edits: [
      {
        file: funding,
        find: "    const now = yield* VenueTime.now(books.state)\n    if (now < funding.validUntil + settings.visibilityMillis) return\n",
        replace: `    const now = yield* VenueTime.now(books.state)
    if (placement.cancel !== undefined) {
      const { amount } = funding
      const dead = { ...about(placement), asset: placement.inputAsset, amount, reason: "cancelled" }
      return yield* record({ _tag: "FundingDead", ...dead })
    }
    if (now < funding.validUntil + settings.visibilityMillis) return
`
      }
    ]
  },
  {
    name: "an acknowledged payload dies of silence",
    edits: [
      {
        file: payload,
        find: '  return fate === "executed" ? "wait" : fate === "doubtful" ? "doubt" : "never"',
        replace: '  return fate === "unsent" ? "never" : "never"'
      },
      {
        file: funding,
        find: '    if (Payload.fateOf(funding) === "executed") return yield* settle(placement)\n',
        replace: ""
      }
    ]
  },
  {
    name: "a doubt ends by silence",
    edits: [
      {
        file: payload,
        find: 'fate === "doubtful" ? "doubt" : "never"',
        replace: 'fate === "doubtful" ? "never" : "never"'
      }
    ]
  },
  {
    name: "any refusal proves that nothing was paid",
    edits: [{ file: payload, find: "(clearRefusal.test(text) ? 1 : 0)", replace: "(clearRefusal.test(text) ? 1 : 1)" }]
  },
  {
    name: "the gate is never asked",
    edits: [
      {
        file: "src/engine/funding/FundingGate.ts",
        find: "  if (withdrawAll !== undefined) return withdrawAll.text\n",
        replace: "  if (id !== undefined) return undefined\n  if (withdrawAll !== undefined) return withdrawAll.text\n"
      }
    ]
  },
  {
    name: "the lease is not asked for",
    edits: [
      {
        file: "src/engine/funding/FundingGate.ts",
        find: "  if (leaseLost !== undefined) return leaseLost\n",
        replace: ""
      }
    ]
  },
  {
    name: "the clock is not compared",
    edits: [
      {
        file: "src/engine/tracking/VenueTime.ts",
        find: "Math.abs(skewMillis) <= mostMillis",
        replace: "mostMillis > 0"
      }
    ]
  },
  {
    name: "the order is not read once more",
    edits: [
      {
        file: funding,
        find: "    if (!(yield* isStillAsBound(placement))) return\n",
        replace: "    if (now < 0 && !(yield* isStillAsBound(placement))) return\n"
      }
    ]
  },
  {
    name: "bytes are sent before that is recorded",
    edits: [
      {
        file: "src/engine/funding/Submission.ts",
        find: "  yield* records.sent(payload.attempts + 1)\n",
        replace: ""
      },
      {
        file: "src/engine/funding/Submission.ts",
        find: '  if (answer._tag === "Success") {\n',
        replace: '  yield* records.sent(payload.attempts + 1)\n  if (answer._tag === "Success") {\n'
      }
    ]
  },
  {
    name: "a create is repeated without a record",
    edits: [
      {
        file: "src/engine/funding/Placing.ts",
        find: "      isSwap ? venue.createSwap({ ...order, inputAmount, outputAmount }) : venue.createOrder(order)\n",
        replace: `      isSwap
        ? venue.createSwap({ ...order, inputAmount, outputAmount })
        : Effect.catch(venue.createOrder(order), () => venue.createOrder(order))
`
      }
    ]
  },
  {
    name: "the echo of an order is not checked",
    edits: [
      {
        file: "src/engine/tracking/OrderTracker.ts",
        find: "? echoProblem(placement, market, order, expected)",
        replace: "? undefined"
      }
    ]
  },
  {
    name: "the guard takes any address",
    edits: [
      {
        file: "src/venue/signing/IntentGuard.ts",
        find: '  yield* exactly("intent.receiver_id", expected.depositAddress, intent.receiver_id)\n',
        replace: ""
      }
    ]
  },
  {
    name: "the guard takes any amount",
    edits: [
      {
        file: "src/venue/signing/IntentGuard.ts",
        find: '  yield* exactly("intent.tokens amount", String(expected.amount), tokens[expected.asset])\n',
        replace: ""
      }
    ]
  },
  {
    name: "the guard signs several intents",
    edits: [
      {
        file: "src/venue/signing/IntentGuard.ts",
        find: "Array.isArray(intents) && intents.length === 1 ?",
        replace: "Array.isArray(intents) ?"
      }
    ]
  }
]
