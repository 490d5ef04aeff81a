import { toObject } from '../log/record.ts';

const MAX = 100;

/** A description of a call in one line: its shortest meaningful text. */
export function describeInput(json: string): string {
  const input = toObject(json);
  for (const key of ['path', 'command', 'pattern', 'query', 'url', 'ref', 'key']) {
    const value = input?.[key];
    if (typeof value !== 'string' || value === '') continue;
    const line = value.replaceAll(/\s+/g, ' ').trim();
    return line.length <= MAX ? line : `${line.slice(0, MAX)}…`.toWellFormed();
  }
  return '';
}
