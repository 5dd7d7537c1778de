// Ten lines in a web page; its origin must be in origins of [gateway]. The token is a session of the back end.
import { Inkpanel } from "./inkpanel.js" // or https://pad.example:8443/inkpanel.js

export async function sign(url, token, show) {
  const pad = new Inkpanel({ url, token })
  const capture = await pad.capture({ prompt: ["Delivery 4711"] }, { onChange: change => console.log(change.state) })
  if (capture.outcome.result !== "accepted") return capture.outcome
  show(URL.createObjectURL(await pad.file(capture.id, "signature.svg")))
  return capture.outcome
}
