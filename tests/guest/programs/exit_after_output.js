//: {"whole": {"stdout": 1048576, "stderr": 262144}}
process.stdout.write('x'.repeat(1 << 20));
process.stderr.write('y'.repeat(1 << 18));
process.exit(5);
