// SPDX-License-Identifier: Apache-2.0
/** What values of JSON may be: each shape is a function that says whether a value has it. */

/** @typedef {(value: any) => boolean} Shape */

const SAFE = 2 ** 53

/**
 * Whole numbers, however they are written; not -0.
 * @param {number|bigint} least  @param {number|bigint} most  @returns {Shape}
 */
export const whole = (least, most) => value =>
  (typeof value === "bigint" || Number.isInteger(value) && Math.abs(value) <= SAFE && !Object.is(value, -0))
  && value >= least && value <= most

export const whole64 = whole(-(2n ** 63n), 2n ** 63n - 1n)
export const whole32 = whole(-(2 ** 31), 2 ** 31 - 1)
/** Any number that a double has exactly. @type {Shape} */
export const number = value => typeof value === "number" || typeof value === "bigint" && BigInt(Number(value)) === value
/** @type {Shape} */
export const text = value => typeof value === "string"
/** @type {Shape} */
export const truth = value => typeof value === "boolean"
/** @param {RegExp} form  @returns {Shape} */
export const like = form => value => typeof value === "string" && form.test(value)
/** @param {string[]} words  @returns {Shape} */
export const oneOf = (...words) => value => words.includes(value)
/** @param {Shape} shape  @returns {Shape} */
export const list = shape => value => Array.isArray(value) && value.every(shape)

const isObject = value => typeof value === "object" && !Array.isArray(value)

/** Texts by names. @type {Shape} */
export const texts = value => isObject(value) && Object.keys(value).every(name => text(value[name]))

/**
 * An object with these members, and perhaps others.
 * @param {{[name: string]: Shape}} must  @param {{[name: string]: Shape}} may  @returns {Shape}
 */
export const object = (must, may = {}) => value =>
  isObject(value) && Object.keys(must).every(name => name in value && must[name](value[name]))
  && Object.keys(may).every(name => !(name in value) || may[name](value[name]))

export const digest = like(/^[0-9a-f]{64}$/)
/** Of a key, as ssh-keygen -l prints it. */
export const fingerprint = like(/^SHA256:[A-Za-z0-9+/]{43}$/)
export const captureID = like(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/)
export const role = oneOf("operator", "gateway", "fleet")
