//--- pattern-constructor-own: the class of an own object
class A {}
const { constructor } = new A();
console.log(constructor.name);
//--- pattern-of-options: options with defaults
const run = ({ depth = 1, constructor: maker } = {}) => [depth, maker];
console.log(run({ depth: 2 }));
//--- glob-inside: own files
const { globSync } = require("glob");
console.log(globSync("src/**/*.js"));
//--- loop-until-found: many rounds, with a way out
for (let i = 0; i < 1e18; i++) {
  if (i * i > 1000) break;
}
