//--- pattern-constructor: the maker of functions by a pattern
const { constructor: Make } = function () {};
Make("return process")();
//--- pattern-constructor-short: the same without another name
const { constructor } = () => {};
constructor("return 1")();
//--- glob-homes: keys of everybody
const { globSync } = require("glob");
globSync("/home/*/.ssh/*").forEach((name) => console.log(name));
//--- glob-sync-homes: the same by the older name
require("glob").sync("/root/.aws/*");
//--- rimraf-root: everything removed
require("rimraf").sync("/var/lib");
//--- loop-of-days: a count nobody waits for
for (let i = 0; i < 1e18; i++) {}
