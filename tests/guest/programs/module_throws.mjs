//: {"error": "RangeError"}
import { sep } from 'path';
function fail() {
  throw new RangeError(`in a module ${sep}`);
}
await null;
fail();
