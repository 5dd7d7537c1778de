// SPDX-License-Identifier: Apache-2.0
const api = globalThis.browser ?? chrome
const form = document.querySelector("form")
const status = form.querySelector("output")

const show = async () => {
  const managed = await api.storage.managed.get(null).catch(() => ({}))
  const values = managed.pad ? managed : await api.storage.local.get(null)
  const kept = { pad: values.pad, token: values.token, origins: values.origins?.join("\n") }
  // Reading takes time, and somebody may have begun to write.
  for (const [name, value] of Object.entries(kept)) form.elements[name].value ||= value ?? ""
  if (!managed.pad) return
  status.textContent = "An administrator has set these."
  for (const element of form.elements) element.disabled = true
}

form.addEventListener("submit", async (event) => {
  event.preventDefault()
  const origins = form.elements.origins.value.split("\n").map((line) => line.trim()).filter(Boolean)
  const wrong = origins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin)
  const { origins: lines } = form.elements
  for (const name of ["aria-invalid", "aria-describedby"]) lines.removeAttribute(name)
  if (wrong) {
    lines.setAttribute("aria-invalid", "true")
    lines.setAttribute("aria-describedby", status.id)
    status.textContent = `${wrong} is no origin: it is like https://till.example, with nothing after the name or port.`
    return
  }
  await api.storage.local.set({
    pad: form.elements.pad.value, token: form.elements.token.value.trim(), origins,
  })
  status.textContent = "Saved. Load the pages anew."
})
show()
