//: {"error": "Custom"}
class Custom extends Error {
  constructor(message) {
    super(message);
    this.name = 'Custom';
    this.code = 'E_CUSTOM';
  }
}
throw new Custom('own class');
