#!/usr/bin/env node
'use strict';
//: {"error": "ReferenceError"}
console.log(this === module.exports);
undeclared = 1;
