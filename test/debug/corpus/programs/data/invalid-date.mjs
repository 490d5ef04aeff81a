// Fault: toDay value 2026-13-45
const rows = [{ at: '2026-01-02' }, { at: '2026-13-45' }];
function toDay(value) {
  const date = new Date(value);
  return date.toISOString().slice(0, 10);
}
rows.map((row) => toDay(row.at));
