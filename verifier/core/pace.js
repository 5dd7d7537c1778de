// SPDX-License-Identifier: Apache-2.0
/** Long work in short pieces, so that a page can draw and somebody can stop it. */

const PIECE_MS = 25

export class Pace {
  /**
   * @param {{progress?: (fraction: number) => void, signal?: AbortSignal}} options
   * @param {number} total  of all steps
   */
  constructor({ progress, signal }, total) {
    this.progress = progress
    this.signal = signal
    this.total = Math.max(total, 1)
    this.done = 0
    this.last = performance.now()
  }

  /** @param {number} count  steps that are done */
  step(count) {
    this.done += count
  }

  /** Whether it is time for a rest; cheap, but not for every sample. */
  get isDue() {
    return performance.now() - this.last > PIECE_MS
  }

  /** Lets others run, tells the progress, and ends the work if it was stopped. @throws the reason of the signal */
  async rest() {
    this.progress?.(Math.min(this.done / this.total, 1))
    await new Promise(resolve => setTimeout(resolve, 0))
    this.signal?.throwIfAborted()
    this.last = performance.now()
  }
}
