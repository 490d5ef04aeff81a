// Fault: pages cursor undefined
function* pages(first) {
  let cursor = first;
  while (true) {
    if (cursor === undefined) throw new Error('The cursor is lost');
    yield cursor;
    cursor = { 1: 2 }[cursor];
  }
}
for (const page of pages(1)) void page;
