//: {"error": "Error"}
try {
  JSON.parse('{');
} catch (error) {
  throw new Error('outer', { cause: error });
}
