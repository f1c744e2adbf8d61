process.exitCode = 3;
console.log('ends by itself');
