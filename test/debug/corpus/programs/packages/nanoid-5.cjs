// Fault: makeId nanoid Module
// nanoid exports a name, and is an ES module since version 4.
const nanoid = require('nanoid');
function makeId() {
  return nanoid(8);
}
makeId();
