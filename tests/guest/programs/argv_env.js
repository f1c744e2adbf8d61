//: {"args": ["--flag", "two words", "ü"], "env": {"GREETING": "grüße", "TZ": "Asia/Tokyo"}}
console.log(process.argv.slice(2), process.argv[1].endsWith('/main.js'), process.argv0.length > 0);
console.log(process.env.GREETING, Object.keys(process.env).sort());
console.log(new Date(0).getHours());
