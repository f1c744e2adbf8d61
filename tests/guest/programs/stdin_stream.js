//: {"stdin": "one\ntwo\nthree"}
const lines = require('readline').createInterface({ input: process.stdin });
lines.on('line', (line) => console.log('line', line));
lines.on('close', () => console.log('closed'));
