//: {"error": "TypeError"}
function inner(x) {
  return x.missing.property;
}
console.log('before');
inner({});
