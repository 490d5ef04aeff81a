import { headOf } from '@klaus/core/cut-text';
import { toObject } from '../../sqlite/log/record.ts';
import type { RecordText } from './document.ts';

/** Characters of an input in a title. */
const MAX_INPUT = 100;

/**
 * `result of read_file src/a.ts`: a result does not contain its input.
 *
 * @param input The input of the call as JSON, if the record is a result.
 */
export function toTitle({ title }: RecordText, input: string | undefined): string {
  const what = input === undefined ? '' : describeInput(input);
  return what === '' ? title : `${title} ${what}`;
}

/** A description of a call in one line: its shortest meaningful text. */
function describeInput(json: string): string {
  const input = toObject(json);
  for (const key of ['path', 'command', 'pattern', 'query', 'url', 'ref', 'key']) {
    const value = input?.[key];
    if (typeof value !== 'string' || value === '') continue;
    const line = value.replaceAll(/\s+/g, ' ').trim();
    return line.length <= MAX_INPUT ? line : `${headOf(line, MAX_INPUT)}…`;
  }
  return '';
}
