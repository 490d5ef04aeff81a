// Fault: warn chalk.red undefined
// chalk 5 is an ES module: its functions are on `default`.
const chalk = require('chalk');
function warn(text) {
  return chalk.red(text);
}
warn('x');
