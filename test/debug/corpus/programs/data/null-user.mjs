// Fault: greet user null
const users = new Map([
  ['ann', { name: 'Ann' }],
  ['bob', null],
]);
function greet(id) {
  const user = users.get(id);
  return `Hello ${user.name}`;
}
greet('ann');
greet('bob');
