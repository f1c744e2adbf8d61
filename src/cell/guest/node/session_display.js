// What a statement in JavaScript shows besides its output: values as MIME bundles, in DISPLAY frames
// that are held to their limits. The supervisor ends a guest that shows too much, so whatever is too
// large is left out here, and a text in its place says so.
'use strict';

const util = require('util');

const { kMaxDisplayBytes, kMaxDisplayFrameBytes, kMaxDisplays, Type } = require('./frames.js');

const kReservedBytes = 1 << 20;  // for the result, whatever was displayed before it
const kMaxPlainBytes = 128 << 10;
const kMaxForms = 16;
const kMaxWaiting = 16;  // between statements, for the next one
const kMostValues = 100000;
const kDeepest = 40;
const kPlain = 'text/plain';
const kOwnForms = Symbol.for('Jupyter.display');

// Whether `value` is made of JSON's own types, within the limits.
function isJson(value, depth = 0, left = { values: kMostValues }) {
  if (--left.values < 0 || depth > kDeepest) return false;
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);  // no half of a pair
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || util.types.isProxy(value)) return false;
  if (Array.isArray(value)) return value.every((inner) => isJson(inner, depth + 1, left));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.entries(value).every(
      ([key, inner]) => isJson(key, depth, left) && isJson(inner, depth + 1, left));
}

function holdsJson(mime) {
  return mime === 'application/json' || mime.endsWith('+json');
}

function holdsBase64(mime) {
  return (mime.startsWith('image/') && mime !== 'image/svg+xml') || mime === 'application/pdf';
}

// `data` as it stands in a bundle, or undefined when it cannot.
function form(mime, data, clip) {
  if (!/^[a-z0-9+._-]+\/[a-z0-9+._-]+$/.test(mime) || mime.length > 128) return undefined;
  if (holdsJson(mime)) return isJson(data) ? data : undefined;
  if (holdsBase64(mime)) {
    return Buffer.from(data, typeof data === 'string' ? 'base64' : undefined).toString('base64');
  }
  return typeof data === 'string' ? clip(data, Infinity) : undefined;
}

function bundleOf(value, clip) {
  const bundle = {};
  const isObject = typeof value === 'object' && value !== null && !util.types.isProxy(value);
  if (isObject && typeof value[kOwnForms] === 'function') {
    for (const [mime, data] of Object.entries(value[kOwnForms]() || {}).slice(0, kMaxForms - 2)) {
      const made = form(mime, data, clip);
      if (made !== undefined) bundle[mime] = made;
    }
  } else if (isObject && isJson(value)) {
    bundle['application/json'] = value;
  }
  if (!(kPlain in bundle)) bundle[kPlain] = clip(util.inspect(value), kMaxPlainBytes);
  return bundle;
}

function bytesOf(value) {
  return Buffer.byteLength(JSON.stringify(value));
}

// Without the largest forms, until it fits; the text says what is missing.
function fitting(bundle, room, clip) {
  const sizes = Object.entries(bundle).map(([mime, data]) => [mime, bytesOf(data) + mime.length + 8]);
  sizes.sort(([a, sizeOfA], [b, sizeOfB]) => (a === kPlain) - (b === kPlain) || sizeOfB - sizeOfA);
  let total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const kept = { ...bundle };
  const notes = [];
  for (const [mime, size] of sizes) {
    if (total <= room) break;
    total -= size;
    delete kept[mime];
    notes.push(`[${mime} of ${size} bytes is too large to be shown]`);
  }
  if (notes.length) {
    const text = [...(kPlain in kept ? [kept[kPlain]] : []), ...notes].join('\n');
    kept[kPlain] = clip(text, kMaxPlainBytes / 2);
  }
  return kept;
}

class Displays {
  constructor(send, clip) {
    Object.assign(this, { send, clip, n: null, waiting: [], dropped: 0, count: 0, bytes: 0 });
  }

  begin(n) {
    const waiting = this.waiting;
    Object.assign(this, { n, waiting: [], count: 0, bytes: 0 });
    for (const bundle of waiting) this.show(bundle, false);
  }

  // What comes later is the next statement's.
  end() {
    if (this.dropped) {
      this.sendNow({ [kPlain]: `${this.dropped} more displays were dropped: a run may show ` +
                               `${kMaxDisplays}, of ${kMaxDisplayBytes} bytes in all` }, false);
    }
    this.dropped = 0;
    this.n = null;
  }

  show(bundle, result) {
    if (this.n === null) {
      this.waiting.push(bundle);
      if (this.waiting.length > kMaxWaiting) {
        this.waiting.shift();
        ++this.dropped;
      }
      return;
    }
    const room = kMaxDisplayBytes - this.bytes - (result ? 0 : kReservedBytes);
    if (this.count >= kMaxDisplays - (result ? 1 : 2) || room <= 0) {
      ++this.dropped;
      return;
    }
    this.sendNow(fitting(bundle, Math.min(room, kMaxDisplayFrameBytes) - 1024, this.clip), result);
  }

  sendNow(bundle, result) {
    const message = { n: this.n, bundle, result };
    ++this.count;
    this.bytes += bytesOf(message);
    this.send(Type.DISPLAY, message);
  }
}

module.exports = { Displays, bundleOf };
