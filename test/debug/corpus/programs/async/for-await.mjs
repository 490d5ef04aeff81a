// Fault: store record.id undefined
async function* read() {
  yield { id: 'a' };
  yield { ID: 'b' };
}
const saved = new Map();
function store(record) {
  return saved.set(record.id.toUpperCase(), record);
}
for await (const record of read()) store(record);
