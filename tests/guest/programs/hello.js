console.log('hello', [1, { a: 2 }], 'grüße 漢字 🫙');
console.error('to stderr');
