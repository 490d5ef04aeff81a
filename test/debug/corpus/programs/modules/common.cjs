// Fault: main options.out undefined
const path = require('node:path');
function main(options) {
  return path.join(options.root, options.out);
}
main({ root: '/a' });
