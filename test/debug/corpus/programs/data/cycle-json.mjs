// Fault: save node.parent {
const root = { name: 'root', children: [] };
const child = { name: 'child', parent: root };
root.children.push(child);
function save(node) {
  return JSON.stringify(node);
}
save(child);
