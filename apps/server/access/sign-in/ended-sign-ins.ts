import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

export type EndedSignIns = ReturnType<typeof openEndedSignIns>;

/**
 * Ids that must not be used again although their cookie is still valid: sign-ins that were ended, and requests to a
 * provider that were answered. They survive a restart.
 *
 * @param file Absolute path. Lines of an id and the time in Unix milliseconds at which its cookie expires.
 */
export function openEndedSignIns(file: string) {
  const ended = new Map<string, number>();
  for (const line of readLines(file)) {
    const [id = '', until = '0'] = line.split(' ');
    if (Number(until) > Date.now()) ended.set(id, Number(until));
  }
  const toLines = (): string => [...ended].map(([id, until]) => `${id} ${until}\n`).join('');
  if (ended.size > 0) writeFileSync(file, toLines(), { mode: 0o600 });
  return {
    has: (id: string): boolean => ended.has(id),
    add({ id, until }: { id: string; until: number }): void {
      for (const [old, at] of ended) if (at <= Date.now()) ended.delete(old);
      ended.set(id, until);
      appendFileSync(file, `${id} ${until}\n`, { mode: 0o600 });
    },
  };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
