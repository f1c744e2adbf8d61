process.on('exit', (code) => console.log('exiting with', code));
process.exit(42);
