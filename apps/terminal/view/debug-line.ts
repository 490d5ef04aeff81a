import { readDebugResult, toDebugPlace, type CallEntry } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';

/** Names of variables that are listed. */
const MAX_NAMES = 8;
const MAX_CHARACTERS = 400;

/** What a tool of the debugger returned, on one line; undefined for other calls. */
export function toDebugLine({ name, input, result }: Pick<CallEntry, 'name' | 'input' | 'result'>): string | undefined {
  const found = result && readDebugResult({ name, input, output: result.output });
  if (!found) return undefined;
  if (found.kind === 'frames') {
    const [first] = found.frames;
    const place = first ? `, the first at ${toDebugPlace(first.filePath, first.line)}` : '';
    return toLine(`${found.frames.length} frames${place}`, MAX_CHARACTERS);
  }
  if (found.kind === 'locals') {
    const names = found.values.slice(0, MAX_NAMES).map((value) => value.name);
    const rest = found.values.length > MAX_NAMES ? ', …' : '';
    return toLine(`${found.values.length} variables: ${names.join(', ')}${rest}`, MAX_CHARACTERS);
  }
  const { rootCause, text } = found.report;
  if (!rootCause) return toLine(text, MAX_CHARACTERS);
  const { file, line, confidence, explanation } = rootCause;
  return toLine(`${toDebugPlace(file, line)} (${Math.round(confidence * 100)} %): ${explanation}`, MAX_CHARACTERS);
}
