// Loaded into the server with --require: when it gets SIGUSR2, it writes to the file named by LOOP_REPORT how many
// milliseconds of its own CPU time the main thread was busy without a break at most since the last time, and starts again.
const { writeFileSync, renameSync } = require('node:fs');

/** Milliseconds between two looks. */
const STEP = 1;
const file = process.env.LOOP_REPORT;
delete process.env.LOOP_REPORT;
const read = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let longest = 0;
let last = read();
setInterval(() => {
  const now = read();
  longest = Math.max(longest, now - last);
  last = now;
}, STEP).unref();
process.on('SIGUSR2', () => {
  writeFileSync(`${file}.part`, String(longest));
  renameSync(`${file}.part`, file);
  longest = 0;
});
