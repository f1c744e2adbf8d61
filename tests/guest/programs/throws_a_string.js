//: {"error": "string"}
throw 'just text';
