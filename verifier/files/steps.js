// SPDX-License-Identifier: Apache-2.0
// Long work in steps: the page stays alive, shows how far it is, and can stop it.

/** A fault of a file. `code` is the page's name for it; `about`, if any, is a value from the file. */
export class FileError extends Error {
    /** @param {string} code @param {string} message @param {string|number} [about] */
    constructor(code, message, about) {
        super(message);
        this.name = "FileError";
        this.code = code;
        this.about = about;
    }
}

/** @typedef {{progress?: (fraction: number) => void, signal?: AbortSignal}} WorkOptions */

/** Work that returns to the event loop about 20 times a second. */
export class Steps {
    /** @param {WorkOptions} [options] */
    constructor(options = {}) {
        this.options = options;
        this.last = performance.now();
    }

    /**
     * Called between pieces of work of a few milliseconds.
     * @param {number} [fraction] how much is done, 0 to 1
     * @throws the signal's reason, once it is aborted
     */
    async step(fraction) {
        this.options.signal?.throwIfAborted();
        if (performance.now() - this.last < 50) return;
        if (fraction !== undefined) this.options.progress?.(Math.min(1, fraction));
        // A promise alone would not let messages in, such as the one that aborts.
        await new Promise((resolve) => setTimeout(resolve, 0));
        this.last = performance.now();
        this.options.signal?.throwIfAborted();
    }
}

/** @param {Uint8Array[]} parts @returns {Uint8Array} */
export function joined(parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
        whole.set(part, offset);
        offset += part.length;
    }
    return whole;
}

/** Characters 0 to 255, one for each byte. @param {Uint8Array} bytes @returns {string} */
export function latin1(bytes) {
    let text = "";
    for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
    return text;
}

/** @param {Uint8Array} bytes @returns {string} lower-case hexadecimal digits */
export function hex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
