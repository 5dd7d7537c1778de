// SPDX-License-Identifier: Apache-2.0
// Hands the page's wish for a session to the extension, and the answer back.
const { runtime } = globalThis.browser ?? chrome
document.addEventListener("inkpanel-session", async () => {
  const answer = await runtime.sendMessage("session").catch((error) => ({
    error: `the extension does not answer: ${error.message}` }))
  document.dispatchEvent(new CustomEvent("inkpanel-session-answer", { detail: JSON.stringify(answer) }))
})
// Pages of version 3 load this, and find what they need already there.
document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.setAttribute("SigPlusExtLiteWrapperURL", runtime.getURL("inkpanel-extension.js"))
})
