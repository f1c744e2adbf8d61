//: {"stdin": "one\ntwo\n"}
const fs = require('fs');
console.log(fs.readFileSync(0, 'utf8').split('\n'));
