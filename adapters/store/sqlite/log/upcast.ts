/** Converts a record of an older version to the current one, step by step. The stored text does not change, because the chain is computed over it. */
export function upcast(record: Record<string, unknown>, version: number): Record<string, unknown> {
  let value = record;
  if (version < 2) value = fromVersion1(value);
  return value;
}

/** In version 1 the commit on the private ref was called a snapshot; since version 2 a snapshot is a stored state of the files. */
function fromVersion1(record: Record<string, unknown>): Record<string, unknown> {
  const type = record['type'] === 'workspace.snapshotted' ? 'workspace.committed' : record['type'];
  return { ...record, v: 2, type };
}
