type Fields = Record<string, unknown>;

/** A stored record of an older version in the current shape, one version at a time. The stored text, which the chain hashes, stays. */
export function upcast(record: Fields, version: number): Fields {
  let value = record;
  if (version < 2) value = fromVersion1(value);
  if (version < 3) value = fromVersion2(value);
  return value;
}

/** Version 1 named the commit on the private ref a snapshot. Since version 2 a snapshot is a stored state of the files. */
function fromVersion1(record: Fields): Fields {
  const type = record['type'] === 'workspace.snapshotted' ? 'workspace.committed' : record['type'];
  return { ...record, v: 2, type };
}

/** Version 2 named the freshness of a check `standing`. */
function fromVersion2(record: Fields): Fields {
  const { evidence } = record;
  const isRenamed = record['type'] === 'run.finished' && Array.isArray(evidence);
  return { ...record, v: 3, ...(isRenamed ? { evidence: evidence.map(renameStanding) } : {}) };
}

/** The fields keep their order. */
function renameStanding(row: Fields): Fields {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name === 'standing' ? 'freshness' : name, value]),
  );
}
