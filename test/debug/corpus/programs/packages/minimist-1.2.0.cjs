// Fault: run name isAdmin
// CVE-2020-7598: an option constructor.prototype changes every object.
const minimist = require('minimist');
function run(options) {
  for (const name in options) if (name !== '_') throw new Error(`Unexpected option ${name}`);
}
minimist(['--__proto__.isAdmin', '1']);
run({ _: [] });
