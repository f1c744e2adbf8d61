const { execFileSync, spawn } = require('child_process');
console.log(execFileSync('sh', ['-c', 'ls /proc/self/fd | sort -n | tail -n 1']).toString());
spawn('sh', ['-c', 'echo from a child; exit 3'], { stdio: 'inherit' })
    .on('exit', (code) => console.log('child ended with', code));
