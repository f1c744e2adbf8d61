//: {"error": "SyntaxError"}
console.log('never');
let x = = 3;
