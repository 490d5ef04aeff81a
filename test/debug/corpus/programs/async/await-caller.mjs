// Fault: loadName body.user undefined
async function request(id) {
  await null;
  return id === 1 ? { user: { name: 'Ann' } } : { error: 'gone' };
}
async function loadName(id) {
  const body = await request(id);
  return body.user.name;
}
async function main() {
  await loadName(1);
  await loadName(2);
}
await main();
