//: {"error": "SyntaxError"}
import fs from 'fs';
let x = = 3;
