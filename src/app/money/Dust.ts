/** `limitbot money --dust`: what legs left unsold because it was too little for an order, and what will become of it. */
import { dustIn, dustList } from "../../views/Money.ts"
import { ofJournal } from "../journal/JournalView.ts"
import type { WhichBot } from "../journal/WhichBot.ts"
import * as Answer from "../process/Answer.ts"

export const dust = (bot: WhichBot) =>
  ofJournal(bot, ({ assets, state }) => {
    const answer = Answer.ofList(dustList(assets), dustIn(state), "No dust.")
    return { ...answer, data: () => ({ dust: answer.data() }) }
  })
