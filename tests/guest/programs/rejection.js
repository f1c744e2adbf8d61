//: {"error": "Error"}
async function fail() {
  throw new Error('nobody awaits');
}
fail();
setTimeout(() => console.log('never'), 1000);
