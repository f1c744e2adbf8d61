//: {"files": {"neighbour.js": "exports.value = 41;\nexports.main = require.main !== module;\n", "data.json": "{\"n\": 1}"}}
const neighbour = require('./neighbour');
console.log(neighbour.value + 1, neighbour.main, require('./data.json').n);
console.log(require.resolve('./neighbour').endsWith('/neighbour.js'));
