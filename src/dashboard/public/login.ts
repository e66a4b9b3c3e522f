/** Asks for the token of this tab, and says where it is. */
import { h } from "preact"
import * as Api from "./api.ts"
import { open } from "./dialog.ts"
import { Button, Field } from "./parts.ts"
import { p } from "./tags.ts"

const form = (reason: string, where: string) => ({
  title: "limitbot",
  isFixed: true,
  body: h(
    "form",
    {
      onSubmit: (event: SubmitEvent) => {
        event.preventDefault()
        const [field] = event.target instanceof HTMLFormElement ? new FormData(event.target).values() : []
        Api.setToken(String(field).trim())
        location.reload()
      }
    },
    p("", reason),
    p("dim", where),
    p("dim", "Kept until you close this tab."),
    h(Field, { label: "Token", name: "token", type: "password", required: true, autofocus: true }),
    h(Button, { label: "Open", style: "solid" })
  )
})

export const login = async (reason: string): Promise<void> => {
  open(form(reason, "It is in the file <journal>.token."))
  const where = await Api.whereToken().catch(() => undefined)
  if (where !== undefined) open(form(reason, where))
}
