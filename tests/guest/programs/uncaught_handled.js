process.on('uncaughtException', (error, origin) => {
  console.log('handled', error.message, origin);
});
setTimeout(() => console.log('goes on'), 10);
throw new Error('survived');
