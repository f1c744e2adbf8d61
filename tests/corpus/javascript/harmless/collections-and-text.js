//--- txt-word-count: word frequencies
const text = 'the cat and the hat and the bat';
const freq = {};
for (const w of text.split(/\s+/)) freq[w] = (freq[w] || 0) + 1;
console.log(Object.entries(freq).sort((a, b) => b[1] - a[1]));
//--- txt-csv-parse: small CSV reader
const csv = 'name,age\nAnn,31\nBob,27';
const [head, ...rows] = csv.split('\n').map((l) => l.split(','));
console.log(rows.map((r) => Object.fromEntries(r.map((v, i) => [head[i], v]))));
//--- txt-csv-quote: CSV writer with quoting
const quote = (v) => (/[",\n]/.test(v) ? `"${v.replace(/"/g, '""')}"` : v);
console.log([['a', 'b,c'], ['d"e', 'f']].map((r) => r.map(quote).join(',')).join('\n'));
//--- txt-title-case: title case
const title = (s) => s.replace(/\b\w/g, (c) => c.toUpperCase());
console.log(title('war and peace'));
//--- txt-camel-snake: camelCase to snake_case
const snake = (s) => s.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase());
console.log(snake('someVariableName'));
//--- txt-slugify: slug of a title
const slug = 'Hello, World! Again'.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
console.log(slug);
//--- txt-wrap: wraps text at a width
function wrap(s, w) {
  const lines = [''];
  for (const word of s.split(' ')) {
    if ((lines.at(-1) + ' ' + word).trim().length > w) lines.push(word);
    else lines[lines.length - 1] = (lines.at(-1) + ' ' + word).trim();
  }
  return lines.join('\n');
}
console.log(wrap('the quick brown fox jumps over the lazy dog', 12));
//--- txt-template-fill: fills placeholders
const fill = (t, data) => t.replace(/\{\{(\w+)\}\}/g, (_, k) => data[k] ?? '');
console.log(fill('Dear {{name}}, you owe {{sum}}.', { name: 'Ann', sum: 12 }));
//--- txt-html-escape: escapes HTML
const esc = (s) => s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
console.log(esc('<b>"x" & y</b>'));
//--- txt-pad-table: aligned table
const rows = [['apple', 3], ['kiwi', 12]];
for (const [n, q] of rows) console.log(n.padEnd(10) + String(q).padStart(4));
//--- txt-repeat-line: a line of dashes
console.log('-'.repeat(40));
console.log('='.repeat(3) + ' title ' + '='.repeat(3));
//--- txt-named-groups: regular expression with named groups
const { groups } = /(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)/.exec('date: 2024-05-17');
console.log(groups.y, groups.m, groups.d);
//--- txt-match-all: all links in a text
const md = 'See [one](a.html) and [two](b.html).';
for (const [, label, href] of md.matchAll(/\[(.+?)\]\((.+?)\)/g)) console.log(label, href);
//--- txt-markdown-heading: headings of a document
const doc = '# One\ntext\n## Two\nmore';
console.log(doc.split('\n').filter((l) => l.startsWith('#')).map((l) => [l.match(/^#+/)[0].length, l.replace(/^#+\s*/, '')]));
//--- txt-diff-lines: lines that changed
const a = 'x\ny\nz'.split('\n'), b = 'x\nY\nz'.split('\n');
a.forEach((l, i) => { if (l !== b[i]) console.log(`- ${l}\n+ ${b[i]}`); });
//--- txt-unicode-normalise: strips accents
console.log('Crème Brûlée'.normalize('NFD').replace(/\p{M}/gu, ''));
//--- txt-intl-collator: locale sort
console.log(['ä', 'a', 'z'].sort(new Intl.Collator('de').compare));
//--- txt-intl-number: money formatting
console.log(new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(1234.5));
//--- txt-intl-date: date formatting
console.log(new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(0)));
//--- txt-intl-plural: plural rules
const pr = new Intl.PluralRules('en', { type: 'ordinal' });
const suffix = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
console.log([1, 2, 3, 4].map((n) => n + suffix[pr.select(n)]));
//--- txt-intl-segmenter: words by Segmenter
const seg = new Intl.Segmenter('en', { granularity: 'word' });
console.log([...seg.segment('Hello big world')].filter((s) => s.isWordLike).map((s) => s.segment));
//--- txt-tagged-template: own tag that upper-cases values
const up = (s, ...v) => s.reduce((acc, p, i) => acc + p + (v[i] !== undefined ? String(v[i]).toUpperCase() : ''), '');
console.log(up`hello ${'ann'} and ${'bob'}`);
//--- txt-raw: raw template
console.log(String.raw`C:\temp\new`);
//--- txt-char-codes: letters of the alphabet by code
console.log(Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i)).join(''));
//--- txt-hex-dump: small hex dump
const data = 'sample text';
console.log([...data].map((c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join(' '));
//--- txt-emoji-length: code points against code units
const s = 'a\u{1F600}b';
console.log(s.length, [...s].length);
//--- col-group-by: groups by a key
const people = [{ n: 'Ann', c: 'UK' }, { n: 'Bob', c: 'US' }, { n: 'Cy', c: 'UK' }];
const by = people.reduce((m, p) => m.set(p.c, [...(m.get(p.c) || []), p.n]), new Map());
console.log(by);
//--- col-unique: unique values
console.log([...new Set([3, 1, 3, 2, 1])].sort());
//--- col-set-operations: union, intersection and difference
const a = new Set([1, 2, 3]), b = new Set([2, 3, 4]);
console.log([...new Set([...a, ...b])], [...a].filter((x) => b.has(x)), [...a].filter((x) => !b.has(x)));
//--- col-map-entries: Map iteration
const stock = new Map([['apple', 3], ['pear', 0]]);
for (const [k, v] of stock) if (v > 0) console.log(k, v);
stock.delete('pear');
console.log(stock.size);
//--- col-weakmap-cache: cache by object
const cache = new WeakMap();
const area = (r) => cache.get(r) ?? (cache.set(r, r.w * r.h), cache.get(r));
console.log(area({ w: 2, h: 3 }));
//--- col-sort-by-two: sort by two keys
const rows = [{ a: 2, b: 'x' }, { a: 1, b: 'z' }, { a: 1, b: 'y' }];
rows.sort((p, q) => p.a - q.a || p.b.localeCompare(q.b));
console.log(rows);
//--- col-chunk: array in chunks
const chunk = (a, n) => Array.from({ length: Math.ceil(a.length / n) }, (_, i) => a.slice(i * n, i * n + n));
console.log(chunk([1, 2, 3, 4, 5], 2));
//--- col-zip: zips two arrays
const zip = (a, b) => a.map((x, i) => [x, b[i]]);
console.log(Object.fromEntries(zip(['a', 'b'], [1, 2])));
//--- col-flatten: nested arrays flattened
console.log([1, [2, [3, [4]]]].flat(Infinity));
//--- col-range: numbers by Array.from
const range = (n) => Array.from({ length: n }, (_, i) => i);
console.log(range(5), [...Array(5).keys()], Array(5).fill(0));
//--- col-grid-fill: a moderate grid
const grid = Array.from({ length: 50 }, () => new Array(80).fill('.'));
grid[10][20] = '#';
console.log(grid.map((r) => r.join('')).join('\n').length);
//--- col-destructure: destructuring with defaults
const { name = 'none', tags: [first, ...others] = [] } = { tags: ['x', 'y'] };
console.log(name, first, others);
//--- col-spread-merge: merging settings by spread
const merged = { ...{ host: 'a', port: 1 }, ...{ port: 2 } };
console.log(merged);
//--- col-deep-clone: structuredClone
const orig = { d: new Date(0), list: [1, { x: 2 }] };
const copy = structuredClone(orig);
copy.list[1].x = 3;
console.log(orig.list[1].x);
//--- col-deep-freeze: freezes deeply
const freeze = (o) => { Object.values(o).forEach((v) => typeof v === 'object' && v && freeze(v)); return Object.freeze(o); };
console.log(Object.isFrozen(freeze({ a: { b: 1 } }).a));
//--- col-json-roundtrip: JSON with a replacer
const o = { when: new Date(0), secret: 'x', n: 1 };
console.log(JSON.stringify(o, (k, v) => (k === 'secret' ? undefined : v), 2));
//--- col-json-revive: JSON with a reviver
const parsed = JSON.parse('{"at":"2024-01-01T00:00:00Z","n":1}', (k, v) => (k === 'at' ? new Date(v) : v));
console.log(parsed.at.getUTCFullYear());
//--- col-json-lines: JSON lines
const lines = '{"a":1}\n{"a":2}\n';
console.log(lines.trim().split('\n').map((l) => JSON.parse(l)).reduce((s, o) => s + o.a, 0));
//--- col-get-path: reads along a path
const get = (o, path) => path.split('.').reduce((v, k) => v?.[k], o);
console.log(get({ a: { b: { c: 5 } } }, 'a.b.c'));
//--- col-pick-omit: picks and omits keys
const pick = (o, ...ks) => Object.fromEntries(ks.filter((k) => k in o).map((k) => [k, o[k]]));
console.log(pick({ a: 1, b: 2, c: 3 }, 'a', 'c'));
//--- col-pivot: small pivot table
const sales = [['N', 'q1', 5], ['N', 'q2', 7], ['S', 'q1', 3]];
const pivot = {};
for (const [r, q, v] of sales) (pivot[r] ??= {})[q] = v;
console.table(pivot);
//--- col-typed-arrays: typed arrays and views
const buf = new ArrayBuffer(8);
new DataView(buf).setFloat64(0, Math.PI);
console.log(new Uint8Array(buf));
//--- col-date-arithmetic: days between dates
const days = (Date.UTC(2024, 2, 1) - Date.UTC(2024, 1, 1)) / 864e5;
console.log(days);
//--- col-statistics: mean, median and deviation
const xs = [2, 4, 4, 4, 5, 5, 7, 9];
const mean = xs.reduce((a, b) => a + b) / xs.length;
const sd = Math.sqrt(xs.reduce((s, x) => s + (x - mean) ** 2, 0) / xs.length);
console.log(mean, sd, [...xs].sort((a, b) => a - b)[xs.length >> 1]);
