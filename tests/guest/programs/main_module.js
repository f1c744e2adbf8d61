const path = require('path');
console.log(require.main === module, module.id, module.parent, module.children.length);
console.log(path.basename(__filename), __dirname === process.cwd(), __dirname === path.dirname(__filename));
console.log(typeof exports, module.exports === exports, this === exports, arguments.length);
console.log(module.loaded, Object.keys(require.cache).length);
setTimeout(() => console.log(module.loaded), 5);
