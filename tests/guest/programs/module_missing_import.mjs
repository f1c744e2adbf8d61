//: {"error": "Error"}
import './nowhere.mjs';
console.log('never');
