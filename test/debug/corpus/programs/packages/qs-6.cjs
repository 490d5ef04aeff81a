// Fault: read query.ids {
// Lists with an index over 20 become objects.
const qs = require('qs');
function read(query) {
  return query.ids.map(Number);
}
read(qs.parse('ids[0]=1&ids[1]=2'));
read(qs.parse('ids[0]=1&ids[100]=2'));
