'use strict';

// Loaded before a program by --require: writes the most memory that it ever held, in KiB, to descriptor 3 when it
// ends. What getrusage says of a child would include the parent that it was forked from; this line does not.

const { readFileSync, writeSync } = require('node:fs');

process.on('exit', () => {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  writeSync(3, peak ? peak[1] : '');
});
