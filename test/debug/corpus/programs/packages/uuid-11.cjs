// Fault: makeId uuid {
// uuid has named exports only since version 7.
const uuid = require('uuid');
function makeId() {
  return uuid();
}
makeId();
