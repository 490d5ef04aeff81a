// Fault: fetchOne id null
async function fetchOne(id) {
  await null;
  if (id === null) throw new TypeError('An id is required');
  return id;
}
const ids = [1, null, 3];
await Promise.all(ids.map((id) => fetchOne(id)));
