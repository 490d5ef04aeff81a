// Fault: pluck row.name undefined
interface Row {
  id: number;
  name?: string;
}
function pluck(rows: readonly Row[]): string[] {
  return rows.map(function pluck(row) {
    return row.name!.trim();
  });
}
pluck([{ id: 1, name: ' a ' }, { id: 2 }]);
