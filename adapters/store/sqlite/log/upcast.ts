/** A stored record of an older version in today's shape, one step at a time. The stored text stays as it is: the chain is over it. */
export function upcast(record: Record<string, unknown>, version: number): Record<string, unknown> {
  let value = record;
  if (version < 2) value = fromVersion1(value);
  return value;
}

/** Version 1 called the commit on the private ref a snapshot; from 2 on a snapshot is a kept state of the files. */
function fromVersion1(record: Record<string, unknown>): Record<string, unknown> {
  const type = record['type'] === 'workspace.snapshotted' ? 'workspace.committed' : record['type'];
  return { ...record, v: 2, type };
}
