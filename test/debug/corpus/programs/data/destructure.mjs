// Fault: show user undefined
const store = { ann: { name: 'Ann' } };
function show(id) {
  const user = store[id];
  const { name } = user;
  return name;
}
show('bob');
