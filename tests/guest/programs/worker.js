const { Worker, isMainThread } = require('worker_threads');
const worker = new Worker('require("worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
worker.on('message', (message) => console.log(message, isMainThread));
