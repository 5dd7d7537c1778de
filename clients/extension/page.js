// SPDX-License-Identifier: Apache-2.0
// Tells `inkpanel-extension.js` in the page where the pad is, and gets a session for each signature.
window.inkpanelSession = () => new Promise((resolve, reject) => {
  document.addEventListener("inkpanel-session-answer", ({ detail }) => {
    const { pad, session, error } = JSON.parse(detail)
    if (error) return reject(new Error(error))
    resolve({ pad, session })
  }, { once: true })
  document.dispatchEvent(new CustomEvent("inkpanel-session"))
})
