// SPDX-License-Identifier: Apache-2.0
import type { Capture, CaptureRequest, Problem, Status, TypedName, UploadedDocument } from "./types.js"

export * from "./types.js"

/** Why a call failed; its message is for people and says what to do. */
export class InkpanelError extends Error {
  constructor(reason: string, message: string, details?: { status?: number, problem?: Problem, retryAfter?: number })
  /** The name of the gateway's problem, such as "busy"; or why there is none, such as "unreachable". */
  reason: string
  /** Of HTTP; absent without an answer. */
  status?: number
  problem?: Partial<Problem>
  /** Seconds after which the gateway asks to try again. */
  retryAfter?: number
  /** Whether the same request may succeed later. */
  get isTemporary(): boolean
}

/** Parameters of pictures. */
export interface Picture {
  dpi?: number
  width?: number
  height?: number
  part?: string
  color?: string
  transparent?: boolean
  caption?: boolean
  [name: string]: string | number | boolean | null | undefined
}

export class Inkpanel {
  /** `url`: of the gateway; by default the page's own. */
  constructor(options: { url?: string | URL, token: string })

  /**
   * Asks for a signature and waits until the capture has ended. It is cancelled if `onChange` throws, when `signal`
   * aborts, and if a program in Node ends meanwhile by a signal that it does not handle itself.
   * `key`: the same key again gets the same capture, also after a reload.
   */
  capture(
    request: CaptureRequest | string[],
    options?: { onChange?: (capture: Capture) => void, signal?: AbortSignal, key?: string },
  ): Promise<Capture>
  /** Asks for a signature and does not wait; `follow` does. */
  ask(request: CaptureRequest, options?: { key?: string }): Promise<Capture>
  /** Follows a capture until it has ended, through lost connections. `signal` ends the following only. */
  follow(
    id: string, options?: { onChange?: (capture: Capture, event: string) => void, signal?: AbortSignal },
  ): Promise<Capture>
  /** Uploads a document that people read and sign on the pad. */
  upload(document: Blob | ArrayBuffer | Uint8Array, options?: { signal?: AbortSignal }): Promise<UploadedDocument>
  /** Deletes an uploaded document; captures that were asked for with it go on. */
  forget(document: string): Promise<void>
  /** A capture as it is now. */
  get(id: string): Promise<Capture>
  /** Cancels a capture; nothing is kept. */
  cancel(id: string): Promise<Capture>
  /** Removes the ink. */
  clear(id: string): Promise<Capture>
  /** Accepts the ink, like the pad's button. */
  accept(id: string): Promise<Capture>
  /** Shows a name in place of a signature, if `alternatives` of the policy has "typed". */
  typeName(id: string, typed: TypedName): Promise<Capture>
  /** A file of an accepted capture, such as "signature.png" or "signed.pdf". */
  file(id: string, name: string, parameters?: Picture): Promise<Blob>
  /** The pad's page and its ink, as the token's scope and the panel's configuration allow. */
  mirror(
    options?: { level?: "state" | "presence" | "ink", signal?: AbortSignal },
  ): AsyncGenerator<{ event: string, data: { [name: string]: unknown } }>
  /** The panel's status. */
  status(): Promise<Status>
}
