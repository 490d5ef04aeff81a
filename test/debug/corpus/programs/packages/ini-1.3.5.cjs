// Fault: check key polluted
// CVE-2020-7788: a section __proto__ changes every object.
const ini = require('ini');
const known = new Set(['port']);
function check(settings) {
  for (const key in settings) if (!known.has(key)) throw new Error(`Unknown setting ${key}`);
}
ini.parse('[__proto__]\npolluted = 1');
check({ port: 80 });
