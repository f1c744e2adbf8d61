//: {"error": "Error"}
require('./nowhere');
