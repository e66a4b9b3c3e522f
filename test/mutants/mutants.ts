/**
 * The rules of funding, each taken out of the real code: what the simulation must notice. A mutant is a few replacements of
 * text that occurs exactly once; `mutants.test.ts` holds that they still apply, `npm run mutants` that they are found.
 */
import type { Feature, Profile } from "../simulation/Plan.ts"

export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

export interface Mutant {
  readonly name: string
  /** The profile in which it is looked for, where that is known; else in both that make no claim about the end. */
  readonly profile?: Profile
  /** What every episode has: without the accident that a rule guards against, its absence shows nothing. */
  readonly including?: ReadonlyArray<Feature>
  /** What no episode has: accidents that keep the bot from coming to where the rule matters. */
  readonly without?: ReadonlyArray<Feature>
  /** A file of tests that must notice it, where no episode comes to where the rule matters. */
  readonly test?: string
  readonly edits: ReadonlyArray<Edit>
}

const calls = "src/engine/protocol/Calls.ts"
const due = "src/engine/protocol/Due.ts"
const payload = "src/domain/Payload.ts"
const silence = "src/engine/protocol/Silence.ts"
const holds = "src/engine/holds/Holds.ts"
const leaving = "src/engine/planning/Placing.ts"
const fills = "src/engine/tracking/amounts/Fills.ts"
const trips = "src/lab/backtest/results/RoundTrips.ts"

const mayExpireEarly: Edit = {
  file: due,
  find: "  funding !== undefined && venueNow >= funding.validUntil + settings.visibilityMillis",
  replace: "  funding !== undefined && venueNow >= settings.visibilityMillis"
}

const doubtIsDeath: Edit = {
  file: silence,
  find: '[isExpired, "doubt"',
  replace: '[isExpired, "never"'
}

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a former owner of an account cancels its orders under the kill switch",
    test: "test/simulation/fleet.long.test.ts",
    edits: [
      {
        file: "src/engine/Cancelling.ts",
        find: "if (books.isOfAnother()) return []",
        replace: "if (!books.isOfAnother()) return []"
      }
    ]
  },
  {
    name: "a former owner of an account still writes its journal",
    test: "test/journal/Fence.test.ts",
    edits: [
      { file: "src/journal/postgres/Appends.ts", find: " AND accounts.epoch = claim.epoch AND ", replace: " AND " }
    ]
  },
  {
    name: "an order that is being cancelled cannot fill",
    test: "test/engine/planning/inventory.test.ts",
    edits: [
      {
        file: leaving,
        find: ".filter(({ slot }) => yieldsTo.includes(slot))",
        replace: ".filter(({ cancel, slot }) => yieldsTo.includes(slot) && cancel === undefined)"
      }
    ]
  },
  {
    name: "an edited file offers again what an order of the former file still offers",
    test: "test/engine/planning/leavingOrders.test.ts",
    edits: [
      {
        file: leaving,
        find: "if (isOfOlderFile !== true) return false",
        replace: "if (isOfOlderFile === true) return false"
      }
    ]
  },
  {
    name: "a recovered order with its deposit counts as unpaid too",
    test: "test/engine/reconciliation/recoveredOrders.test.ts",
    edits: [
      {
        file: "src/engine/state/Tally.ts",
        find: "if (isUnpaid(order)) raise",
        replace: "if (order.funding === undefined) raise"
      }
    ]
  },
  {
    name: "any bot pays a first order without approval",
    test: "test/engine/funding/Funding.test.ts",
    edits: [
      {
        file: "src/engine/holds/Holds.ts",
        find: "strategy === firstOrder ?",
        replace: 'strategy === "" ?'
      }
    ]
  },
  {
    name: "a balance ignores the cost of a first order",
    test: "test/engine/reconciliation/BalanceComparison.test.ts",
    edits: [
      {
        file: "src/engine/reconciliation/BalanceComparison.ts",
        find: "Ledger.broughtByFirstOrders(state.ledger, symbol)",
        replace: "0n"
      }
    ]
  },
  {
    name: "returned capital counts as gone from the account",
    test: "test/engine/reconciliation/BalanceComparison.test.ts",
    edits: [
      {
        file: "src/engine/reconciliation/BalanceComparison.ts",
        find: "Ledger.givenBackOf(state.ledger, symbol) +",
        replace: "0n +"
      }
    ]
  },
  {
    name: "refunds after the end of a strategy count as its free money",
    test: "test/ledger/GoneStrategies.test.ts",
    edits: [
      {
        file: "src/domain/Ledger.ts",
        find: "return movedAlong(ledger, back, own)",
        replace: "return own.length > 0 ? [] : []"
      }
    ]
  },
  {
    name: "the money of a strategy that is loaded again counts as new capital",
    test: "test/ledger/GoneStrategies.test.ts",
    edits: [
      {
        file: "src/ledger/Capital.ts",
        find: 'account === "outside" ? {} : ({ isReturn: true } as const)',
        replace: 'account === "outside" ? {} : {}'
      }
    ]
  },
  {
    name: "an order is paid although its answer names a fee above the limit",
    test: "test/engine/funding/echoedFees.test.ts",
    edits: [
      {
        file: "src/engine/holds/MarketLimits.ts",
        find: "feeEcho.basisPoints <= most)",
        replace: "feeEcho.basisPoints > 0)"
      }
    ]
  },
  {
    name: "a bot pays although its witness contradicts the journal",
    test: "test/engine/holds/witness.test.ts",
    edits: [
      {
        file: holds,
        find: "disagreement(state)",
        replace: "disagreement({ witnessed: state.witnessed && undefined })"
      }
    ]
  },
  {
    name: "an order is paid although its echo has a higher fee than the schedule",
    test: "test/engine/tracking/OrderTracker.test.ts",
    edits: [
      {
        file: "src/engine/tracking/OrderTracker.ts",
        find: "appFeeBasisPoints <= scheduled",
        replace: "appFeeBasisPoints >= 0"
      }
    ]
  },
  {
    name: "a move between accounts counts as a sale",
    test: "test/cli/swap/moves.long.test.ts",
    edits: [
      {
        file: "src/domain/Ledger.ts",
        find: "inputAsset === outputAsset ? max(0n, amountIn - amountOut) : 0n",
        replace: "inputAsset === outputAsset ? 0n : 0n"
      }
    ]
  },
  {
    name: "bytes are submitted before they are recorded",
    profile: "safety",
    edits: [
      {
        file: calls,
        find: "      yield* books.recordIfFits(...events, sending(placement, 1))\n",
        replace:
          "      yield* Effect.ignore(means.venue.submitIntent(signed.success))\n      yield* books.recordIfFits(...events, sending(placement, 1))\n"
      }
    ]
  },
  {
    name: "a payment is signed again after a time-out",
    profile: "safety",
    edits: [
      {
        file: calls,
        find: "  const answer = yield* Effect.result(venue.submitIntent({ body, intentHash, validUntil, hold }))",
        replace: `  if (placement.funding.attempts > 1 && !placement.funding.acknowledged) {
    const anew = yield* venue.generateIntent(placement.order.depositAddress)
    const asset = JSON.parse(JSON.parse(placement.funding.signed).signedData.payload.message).intents[0].tokens
    const expected = {
      depositAddress: placement.order.depositAddress,
      depositType: "INTENTS",
      asset: String(Object.keys(asset)[0]),
      amount: placement.inputAmount
    }
    const again = yield* Effect.orDie(guard.signTransfer(anew.value, expected))
    yield* Effect.ignore(venue.submitIntent(again))
  }
  const answer = yield* Effect.result(venue.submitIntent({ body, intentHash, validUntil, hold }))`
      },
      {
        file: calls,
        find: "const submit = Effect.fnUntraced(function* ({ books, venue }: Means,",
        replace: "const submit = Effect.fnUntraced(function* ({ books, guard, venue }: Means,"
      }
    ]
  },
  {
    name: "a payment counts as dead before its deadline",
    profile: "safety",
    including: ["answerLost", "recognition"],
    edits: [
      mayExpireEarly,
      {
        file: silence,
        find: "  expiredMillis >= visibilityMillis && emptyReads",
        replace: "  visibilityMillis > 0 && emptyReads"
      },
      doubtIsDeath
    ]
  },
  {
    name: "a payment is given up after a cancel request",
    profile: "safety",
    edits: [
      {
        file: due,
        find: '  [funding, "its deposit is not overdue yet"',
        replace: `  [
    funding,
    "it is to be cancelled",
    [isByPayload, ({ cancel }) => cancel !== undefined],
    ({ id: placement, inputAmount: amount, inputAsset: asset, slot, strategy }) =>
      record([{ _tag: "FundingDead", strategy, slot, placement, asset, amount, reason: "cancelled" }])
  ],
  [funding, "its deposit is not overdue yet"`
      }
    ]
  },
  {
    name: "an acknowledged payment counts as dead after silence",
    profile: "safety",
    including: ["recognition"],
    edits: [
      {
        file: silence,
        find: 'certaintyOf(placement) === "unsent" || certaintyOf(placement) === "refused"',
        replace: 'certaintyOf(placement) !== "doubtful"'
      },
      {
        file: due,
        find: "[isByPayload, hasExecuted, isToBeWatched], readTodo(",
        replace: "[isByPayload, not(isByPayload)], readTodo("
      },
      {
        file: due,
        find: "[isByPayload, hasExecuted], wait]",
        replace: "[isByPayload, hasExecuted, not(isByPayload)], wait]"
      }
    ]
  },
  {
    name: "a doubt ends after silence",
    profile: "safety",
    including: ["answerLost", "recognition", "shortIntents", "outages"],
    edits: [doubtIsDeath]
  },
  {
    name: "any refusal proves that nothing was paid",
    test: "test/domain/Payload.test.ts",
    edits: [{ file: payload, find: "(verdict === undefined ? 0 : 1)", replace: "(verdict === undefined ? 1 : 1)" }]
  },
  {
    name: "the gate is not checked",
    profile: "safety",
    including: ["killSwitch"],
    edits: [
      {
        file: holds,
        find: "stopping(holdsOn(state, placement, facts), step)",
        replace: "stopping(facts.now < 0 ? holdsOn(state, placement, facts) : [], step)"
      }
    ]
  },
  {
    name: "bytes are sent again in spite of a hold",
    profile: "safety",
    including: ["killSwitch", "answerLost"],
    edits: [
      {
        file: holds,
        find: ': ReadonlyArray<Step> = ["create", "fund", "resend"]',
        replace: ': ReadonlyArray<Step> = ["create", "fund"]'
      }
    ]
  },
  {
    name: "bytes are sent again in spite of a cancel",
    profile: "safety",
    including: ["edits", "answerLost", "requestLost"],
    edits: [
      {
        file: holds,
        find: "({ placement: { cancel } }) => cancel && `it",
        replace: "({ placement: { cancel } }) => cancel && cancel.why.text === `` && `it"
      }
    ]
  },
  {
    name: "bytes are sent again in spite of the kill switch",
    profile: "safety",
    including: ["killsMidway", "answerLost", "misreported"],
    edits: [
      {
        file: holds,
        find: '"release", everything',
        replace: '"release", beginnings'
      },
      {
        file: holds,
        find: '"stopped", "itself", everything',
        replace: '"stopped", "itself", beginnings'
      },
      {
        file: holds,
        find: "    everything,\n    ({ placement: { cancel } })",
        replace: "    beginnings,\n    ({ placement: { cancel } })"
      }
    ]
  },
  {
    name: "bytes are sent for an order that is over",
    including: ["killSwitch", "answerLost", "requestLost"],
    edits: [
      {
        file: holds,
        find: "    isOver(status) ?",
        replace: "    isOver(status) && status === undefined ?"
      }
    ]
  },
  {
    name: "bytes are sent again without a check at their turn",
    test: "test/engine/funding/Submission.test.ts",
    edits: [
      {
        file: calls,
        find: "venue.submitIntent({ body, intentHash, validUntil, hold })",
        replace: "venue.submitIntent({ body, intentHash, validUntil, ...(attempt === 1 ? { hold } : {}) })"
      }
    ]
  },
  {
    name: "a pause does not close the gate",
    profile: "safety",
    including: ["pauses"],
    edits: [
      {
        file: holds,
        find: "if (strategy?.paused === undefined) return undefined",
        replace: "if (strategy?.paused?.limit !== ``) return undefined"
      }
    ]
  },
  {
    name: "the lease is not checked",
    profile: "safety",
    including: ["lostLease"],
    edits: [
      {
        file: holds,
        find: "({ leaseLost }) => leaseLost),",
        replace: "() => undefined),"
      },
      {
        file: holds,
        find: "    return state.leaseLost\n",
        replace: "    return undefined\n"
      }
    ]
  },
  {
    name: "the clock is not compared",
    profile: "safety",
    including: ["botClock", "venueClock"],
    edits: [
      {
        file: "src/engine/tracking/VenueTime.ts",
        find: "Math.abs(skewMillis) <= mostSkewMillis",
        replace: "mostSkewMillis > 0"
      }
    ]
  },
  {
    name: "the order is not read again before its payment",
    profile: "hostile",
    including: ["lies"],
    edits: [
      {
        file: calls,
        find: '  const current = books.state.placements.get(placement.id)\n  if (current?.state !== "created") return\n  yield* note',
        replace:
          '  const current = books.state.placements.get(placement.id)\n  if (current?.state !== "created" || current.deadline > 0) return\n  yield* note'
      }
    ]
  },
  {
    name: "bytes are sent before the record",
    profile: "safety",
    edits: [
      {
        file: calls,
        find: "yield* books.recordIfFits(...events, sending(placement, 1))",
        replace: "yield* books.recordIfFits(...events)"
      },
      {
        file: calls,
        find: '  if (answer._tag === "Success") {\n    const correlation',
        replace:
          '  yield* record(sending(placement, attempt + 1))\n  if (answer._tag === "Success") {\n    const correlation'
      }
    ]
  },
  {
    name: "a create is repeated without a record",
    profile: "safety",
    edits: [
      {
        file: calls,
        find: "venue.createOrder({ ...order, hold })",
        replace: "Effect.catch(venue.createOrder({ ...order, hold }), () => venue.createOrder({ ...order, hold }))"
      }
    ]
  },
  {
    name: "a spare order with money replaces a paid one",
    test: "test/engine/protocol/cancels.test.ts",
    edits: [
      {
        file: "src/engine/protocol/Sightings.ts",
        find: 'a spare order has the money", [hasMoney, holdsNone]',
        replace: 'a spare order has the money", [hasMoney]'
      }
    ]
  },
  {
    name: "a payment is repeated while its wallet program may be running",
    test: "test/engine/funding/Paying.test.ts",
    edits: [
      {
        file: "src/engine/funding/Paying.ts",
        find: "until === undefined || now >= until",
        replace: "until === undefined || now > 0"
      }
    ]
  },
  {
    name: "a create is sent without a check at its turn",
    test: "test/engine/lateKill.test.ts",
    edits: [{ file: calls, find: "venue.createOrder({ ...order, hold })", replace: "venue.createOrder(order)" }]
  },
  {
    name: "an order is paid although too little time is left",
    test: "test/engine/funding/Funding.test.ts",
    edits: [{ file: holds, find: "isTooLate(placement, now, settings) ?", replace: "now < 0 ?" }]
  },
  {
    name: "the echo of an order is not checked",
    profile: "hostile",
    including: ["lies"],
    edits: [
      {
        file: "src/engine/tracking/OrderTracker.ts",
        find: "? echoMismatch(placement, market, order, expected)",
        replace: "? undefined"
      }
    ]
  },
  {
    name: "the guard accepts any address",
    profile: "hostile",
    including: ["lies"],
    edits: [
      {
        file: "src/signing/IntentGuard.ts",
        find: "  if (payee !== expected.depositAddress) {\n",
        replace: "  if (payee === undefined) {\n"
      }
    ]
  },
  {
    name: "the guard accepts any amount",
    profile: "hostile",
    including: ["lies"],
    edits: [
      {
        file: "src/signing/IntentGuard.ts",
        find: '  yield* requireEqual("intent.tokens amount", String(expected.amount), tokens[token])\n',
        replace: ""
      }
    ]
  },
  {
    name: "the guard signs several intents",
    profile: "hostile",
    including: ["lies"],
    edits: [
      {
        file: "src/signing/IntentGuard.ts",
        find: "intents: Schema.Tuple([Intent])",
        replace: "intents: Schema.TupleWithRest(Schema.Tuple([Intent]), [Schema.Unknown])"
      }
    ]
  },
  {
    name: "the guard accepts a payload of the other verifier",
    test: "test/signing/twoVerifiers.test.ts",
    edits: [
      {
        file: "src/signing/IntentGuard.ts",
        find: "  if (wire.recipient !== recipient) {",
        replace: "  if (Domains.depositsOf(domains, wire.recipient).length === 0) {"
      }
    ]
  },
  {
    name: "a token needs no issuer",
    test: "test/signing/twoVerifiers.test.ts",
    edits: [
      {
        file: "src/signing/Domains.ts",
        find: "{prefixOf(domain)}",
        replace: "{prefixOf(domain).slice(0, 0)}"
      }
    ]
  },
  {
    name: "the token of any treasury counts as the asset",
    test: "test/signing/twoVerifiers.test.ts",
    edits: [
      {
        file: "src/signing/Domains.ts",
        find: "  return token.startsWith(prefix) ? token.slice(prefix.length) : undefined",
        replace: "  return token.startsWith(prefix.slice(0, 4)) ? token.slice(prefix.length) : undefined"
      }
    ]
  },
  {
    name: "a login starts by our own clock",
    test: "test/venue/http/loginNonce.test.ts",
    edits: [
      {
        file: "src/venue/http/Session.ts",
        find: "(yield* Clock.currentTimeMillis) - aheadMillis",
        replace: "(yield* Clock.currentTimeMillis) - aheadMillis * 0"
      }
    ]
  },
  {
    name: "the signer's answer is not checked",
    profile: "safety",
    including: ["oddSigner"],
    edits: [
      {
        file: "src/signing/IntentGuard.ts",
        find: "      checkReturned(signingRequest, returned),",
        replace: "      Effect.orElseSucceed(checkReturned(signingRequest, returned), () => true),"
      }
    ]
  },
  {
    name: "a price needs no second source",
    profile: "safety",
    including: ["wrongPrices"],
    edits: [
      {
        file: "src/orderbook/SecondSource.ts",
        find: "    if (isKnown(look) || isListed || isBorneOut) {",
        replace: "    if (mid > 0 || contradicting !== undefined || isBorneOut) {"
      }
    ]
  },
  {
    name: "a tampered quote counts as a price, and a price needs no second source",
    profile: "safety",
    including: ["tamperedQuotes"],
    without: ["wrongPrices"],
    edits: [
      {
        file: "src/venue/HttpVenue.ts",
        find: "    if (why !== undefined) return yield* quoteRefused(calls.quote.operation, why, trace)\n",
        replace: ""
      },
      {
        file: "src/orderbook/SecondSource.ts",
        find: "    if (isKnown(look) || isListed || isBorneOut) {",
        replace: "    if (mid > 0 || contradicting !== undefined || isBorneOut) {"
      }
    ]
  },
  {
    name: "the last estimate of a fee counts, without a limit",
    profile: "liveness",
    including: ["risingEstimates"],
    edits: [
      {
        file: "src/engine/tracking/amounts/Fees.ts",
        find: "  return { claimed, fee: min(claimed, most) }",
        replace: "  return { claimed, fee: claimed }"
      }
    ]
  },
  {
    name: "a missing list of fills is always an error",
    profile: "liveness",
    including: ["absentFields"],
    edits: [
      {
        file: "src/venue/wire/WireOrder.ts",
        find: "order.partialFills ?? (hasFilled(order) ? undefined : [])",
        replace: "order.partialFills"
      }
    ]
  },
  {
    name: "the gate accepts a price of any age",
    profile: "safety",
    including: ["suspensions", "outages"],
    edits: [
      {
        file: holds,
        find: "  return staleness({ now, price, limits }) ?? badDeviation(placement, { price, limits })",
        replace: "  return badDeviation(placement, { price, limits })"
      }
    ]
  },
  {
    name: "a fill counts as often as it is reported",
    profile: "hostile",
    including: ["lies", "dust"],
    edits: [
      {
        file: fills,
        find: "[...fillsById.values()].flatMap(",
        replace: "fills.flatMap("
      }
    ]
  },
  {
    name: "every repeated contradiction raises an alert",
    profile: "hostile",
    including: ["lies"],
    edits: [
      {
        file: "src/engine/tracking/OrderTracker.ts",
        find: "placement.contradiction === undefined\n      ? ((insists",
        replace: "true\n      ? ((insists"
      }
    ]
  },
  {
    name: "a contradiction raises no alert",
    profile: "hostile",
    including: ["lies"],
    edits: [
      {
        file: "src/engine/tracking/OrderTracker.ts",
        find: "  if (finding !== undefined) events",
        replace: "  if (finding !== undefined && order.id === undefined) events"
      }
    ]
  },
  {
    name: "dust is sold twice",
    profile: "safety",
    including: ["dust", "edits"],
    without: ["recognition", "killSwitch", "venueClock", "botClock", "clockSteps", "lostLease"],
    edits: [
      {
        file: "src/engine/planning/Remainders.ts",
        find: "    const quantity = Ledger.dustOf(state.ledger, strategy.name, market.base.symbol)\n",
        replace: "    const quantity = 2n * Ledger.dustOf(state.ledger, strategy.name, market.base.symbol)\n"
      }
    ]
  },
  {
    name: "a refund is computed from the first report of a fill",
    profile: "hostile",
    including: ["lies", "dust"],
    edits: [
      {
        file: fills,
        find: 'max(sumOf(known.fills, "amountIn", max), sumOf(reported.fills, "amountIn", max))',
        replace: 'sumOf(known.fills, "amountIn", max)'
      }
    ]
  },
  {
    name: "a fill that grows is booked whole again",
    profile: "hostile",
    including: ["lies", "dust"],
    edits: [
      {
        file: fills,
        find: "[fill.amountIn - recordedFill.amountIn, fill.amountOut - recordedFill.amountOut]",
        replace: "[fill.amountIn, fill.amountOut]"
      }
    ]
  },
  {
    name: "every listed withdrawal costs a fee",
    profile: "hostile",
    including: ["lies", "dust"],
    edits: [
      {
        file: "src/engine/tracking/amounts/Fees.ts",
        find: "min(most * BigInt(hashCount), mostOf(placement.outputAmount))",
        replace: "most * BigInt(withdrawals.length)"
      }
    ]
  },
  {
    name: "an early end is believed at once",
    profile: "hostile",
    including: ["lies"],
    without: ["crashes", "recognition", "suspensions", "outages", "killSwitch", "botClock", "venueClock", "clockSteps"],
    edits: [
      {
        file: "src/engine/tracking/EarlyEnd.ts",
        find: "paused?.limit === pauseCode || shownMillis < believedAfterMillis.earlyEnd",
        replace: "paused?.limit === pauseCode && shownMillis < 0"
      }
    ]
  },
  {
    name: "a kill cancels only orders that are reported as alive",
    test: "test/engine/funding/earlyEnds.test.ts",
    edits: [
      {
        file: "src/engine/Cancelling.ts",
        find: 'placement.state === "closing" && !isEndUnbelieved(placement)',
        replace: 'placement.state === "closing"'
      }
    ]
  },
  {
    name: "the mark of a journal is in one of 250 deadlines of others",
    test: "test/engine/restart/forgottenOrders.test.ts",
    edits: [{ file: "src/engine/tracking/Fingerprint.ts", find: "windowMillis: 16_000", replace: "windowMillis: 250" }]
  },
  {
    name: "an order that waits for its deposit counts as alive after its end",
    test: "test/engine/observation/afterlife.long.test.ts",
    edits: [{ file: "src/engine/observation/Afterlife.ts", find: ' && fillStatus !== "AWAITING_DEPOSIT"', replace: "" }]
  },
  {
    name: "a requested refund is believed at the first read",
    test: "test/engine/observation/afterlife.long.test.ts",
    edits: [
      {
        file: "src/engine/tracking/EarlyEnd.ts",
        find: "shownMillis < believedAfterMillis.end",
        replace: "shownMillis < 0"
      }
    ]
  },
  {
    name: "an order that lives on after its end is not reported",
    test: "test/engine/observation/afterlife.long.test.ts",
    edits: [
      {
        file: "src/engine/observation/Afterlife.ts",
        find: "if (!isLiving(listed)) return\n",
        replace: "if (!isLiving(listed) || isAlive !== true) return\n"
      }
    ]
  },
  {
    name: "a kill does not cancel an order that the operator has forgotten",
    test: "test/engine/protocol/cancels.test.ts",
    edits: [{ file: "src/engine/protocol/DueCancels.ts", find: ", ...ended.alive]", replace: "]" }]
  },
  {
    name: "app fees that change after the payment are not reported",
    test: "test/engine/tracking/recipients.test.ts",
    edits: [
      { file: "src/engine/tracking/Contradictions.ts", find: "mostFees, fees <= mostFees]", replace: "mostFees, true]" }
    ]
  },
  {
    name: "a payment is made although the estimate has just jumped",
    test: "test/engine/tracking/fees.test.ts",
    edits: [{ file: "src/engine/tracking/amounts/Fees.ts", find: "shown > 2n * before &&", replace: "before < 0n &&" }]
  },
  {
    name: "a refused exit is not reported",
    test: "test/engine/planning/refusedExits.test.ts",
    edits: [
      {
        file: "src/engine/planning/Placing.ts",
        find: "isMissed(desired, limit) ? exitOf(strategy, desired) : undefined",
        replace: "undefined"
      }
    ]
  },
  {
    name: "the head beside the journal is not checked",
    test: "test/journal/Head.test.ts",
    edits: [
      {
        file: "src/journal/Head.ts",
        find: '  if (outsideHead === "none") return undefined\n',
        replace: "  if (kept !== undefined) return undefined\n"
      }
    ]
  },
  {
    name: "the work of a forgotten process continues unchecked",
    test: "test/engine/restart/putBack.long.test.ts",
    edits: [
      {
        file: "src/engine/restart/ForgottenOrders.ts",
        find: "boolean => isAsked || !unsignedPlacements.has(id)",
        replace: "boolean => id.length > 0 || isAsked || !begun.has(id)"
      }
    ]
  },
  {
    name: "a second paid order replaces the first",
    test: "test/engine/restart/putBack.long.test.ts",
    edits: [
      {
        file: "src/engine/restart/ForeignOrders.ts",
        find: "  placement.order.id !== order.id &&\n",
        replace: "  placement.order.id === order.id &&\n"
      }
    ]
  },
  {
    name: "a log that is removed while the bot runs is not noticed",
    test: "test/journal/Journal.test.ts",
    edits: [
      { file: "src/journal/Lease.ts", find: "    heldLog ??= fileAt(log)\n", replace: "    heldLog = fileAt(log)\n" }
    ]
  },
  {
    name: "a bot pays on a changed journal",
    test: "test/cli/run/chainWatch.test.ts",
    edits: [
      {
        file: "src/app/run/watch/Supervision.ts",
        find: '  yield* Chain.verifyTail.pipe(Effect.asVoid, Effect.catchTag("ChainBroken", note), Effect.provide(reading))\n',
        replace: ""
      }
    ]
  },
  {
    name: "a fill with another id counts as another fill",
    test: "test/engine/tracking/fills.test.ts",
    edits: [
      { file: fills, find: ".find(([, each]) => isSame(each, fill))", replace: ".find(([id]) => id === fill.id)" }
    ]
  },
  {
    name: "the growth of a fill after the end is paid out without a source",
    test: "test/engine/tracking/rewrittenReports.test.ts",
    edits: [
      {
        file: "src/engine/tracking/OrderTracker.ts",
        find: "filled - filledOut(placement) : 0n",
        replace: "0n : 0n"
      }
    ]
  },
  {
    name: "trade: an exit closes only the purchases of its own slot",
    test: "test/lab/backtest/results/RoundTrips.test.ts",
    edits: [{ file: trips, find: "    if (takesTurns) return", replace: "    if (takesTurns || side) return" }]
  },
  {
    name: "trade: the part that fees take stays open",
    test: "test/lab/backtest/results/RoundTrips.test.ts",
    edits: [{ file: trips, find: "lot.base - part <= dust ? lot.base : part", replace: "part" }]
  },
  {
    name: "trade: each part of an exit counts as a trade",
    test: "test/lab/backtest/results/RoundTrips.test.ts",
    edits: [{ file: trips, find: "    if (endsOrder && !isPart) end(slotName)", replace: "    end(slotName)" }]
  },
  {
    name: "trade: open trades at the end are left out of the simulation",
    test: "test/cli/backtest/monteCarlo.test.ts",
    edits: [{ file: "src/lab/searches/MonteCarloRun.ts", find: "[...trades, open]", replace: "trades" }]
  },
  {
    name: "statistics: a part of a day makes a year longer",
    test: "test/lab/backtest/results/PartsOfDays.test.ts",
    edits: [
      {
        file: "src/lab/backtest/results/BacktestStatistics.ts",
        find: "Math.ceil(to / periodMillis)",
        replace: "(to / periodMillis)"
      }
    ]
  },
  {
    name: "wma: the former block counts with its plain sum",
    test: "test/strategy/Indicators.test.ts",
    edits: [{ file: "src/strategy/Indicators.ts", find: "      ranked += sum\n", replace: "      ranked = sum\n" }]
  },
  {
    name: "a stop trails before its start price",
    test: "test/strategy/kinds/otherKinds.test.ts",
    edits: [
      {
        file: "src/strategy/kinds/bracket/bracket.ts",
        find: "whole.trail && !waits(whole, best) ?",
        replace: "whole.trail ?"
      }
    ]
  },
  {
    name: "levels: halfway between two prices the lower one counts",
    test: "test/strategy/kinds/PriceLevels.test.ts",
    edits: [
      {
        file: "src/strategy/kinds/PriceLevels.ts",
        find: "Decimal.multiply(steps, Decimal.half)",
        replace: "Decimal.multiply(steps, Decimal.make(49n, 2))"
      }
    ]
  },
  {
    name: "a cell's sales are matched with purchases of other cells",
    test: "test/ledger/Rounds.test.ts",
    edits: [{ file: "src/ledger/Rounds.ts", find: "byTurns === true ? []", replace: "byTurns === undefined ? []" }]
  },
  {
    name: "the sale at the end of a grid closes no purchases of its cells",
    test: "test/ledger/Rounds.test.ts",
    edits: [{ file: "src/ledger/Trades.ts", find: " && !isEnd", replace: "" }]
  },
  {
    name: "an end that is taken back closes what cells sold",
    test: "test/ledger/Rounds.test.ts",
    edits: [{ file: "src/ledger/Trades.ts", find: 'const isEnd = side === "SELL" && ', replace: "const isEnd = " }]
  },
  {
    name: "the value of an inventory is rounded for each slot",
    test: "test/ledger/Rounds.test.ts",
    edits: [
      { file: "src/ledger/Rounds.ts", find: "    held += book.position\n", replace: "    held = book.position\n" },
      { file: "src/ledger/Rounds.ts", find: "    known = all\n", replace: "" }
    ]
  },
  {
    name: "a leg that is closed with too small a remainder ends no round",
    test: "test/ledger/Rounds.test.ts",
    edits: [
      {
        file: "src/ledger/Trades.ts",
        find: "      endLeg(books, at, event)\n",
        replace: ""
      }
    ]
  },
  {
    name: "money is cut at the cent",
    test: "test/report/text/ProfitText.test.ts",
    edits: [
      {
        file: "src/report/text/Money.ts",
        find: "(magnitude(amount) + unit / 2n) / unit",
        replace: "magnitude(amount) / unit"
      }
    ]
  },
  {
    name: "the profit of an hour is reported for a year",
    test: "test/ledger/Standing.test.ts",
    edits: [
      { file: "src/ledger/Standing.ts", find: "elapsed < dayMillis ? undefined", replace: "elapsed < 0 ? undefined" }
    ]
  },
  {
    name: "buy and hold leaves out the quote of the budget",
    test: "test/cli/backtest/backtest.test.ts",
    edits: [
      {
        file: "src/lab/backtest/results/BandSide.ts",
        find: "budget.quote + worth(0, budget.base)",
        replace: "worth(0, budget.base)"
      }
    ]
  }
]
