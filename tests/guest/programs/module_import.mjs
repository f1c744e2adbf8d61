//: {"files": {"lib.mjs": "export const value = 41;\nexport default () => 'called';\n"}}
import fs from 'fs';
import path from 'node:path';
import call, { value } from './lib.mjs';
import { fileURLToPath } from 'node:url';
console.log(value + 1, call(), path.basename(fileURLToPath(import.meta.url)));
console.log(path.dirname(fileURLToPath(import.meta.url)) === process.cwd());
const later = await import('./lib.mjs');
console.log(later.value, typeof fs.readFileSync, this);
