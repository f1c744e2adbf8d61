process.exit();
