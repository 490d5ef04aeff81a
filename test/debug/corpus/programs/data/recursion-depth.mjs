// Fault: walk node {
const node = { name: 'a' };
node.next = node;
function walk(node) {
  return 1 + walk(node.next);
}
walk(node);
