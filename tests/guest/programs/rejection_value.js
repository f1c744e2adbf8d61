//: {"error": "UnhandledPromiseRejection"}
Promise.reject(42);
