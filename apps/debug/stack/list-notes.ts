import { findCapture, listSampled, type Capture } from '../capture/capture.ts';
import { isObject } from './is-object.ts';
import { kindOfFile, parseStack } from './parse-stack.ts';
import { readStack } from './read-stack.ts';
import { listErrors, toName } from './to-frames.ts';

/** Why variables of an error are missing or are not those of its throw, for each error that has a reason. */
export function listNotes(error: unknown): string[] {
  return listErrors(error).flatMap(({ error: one }) => {
    const capture = findCapture(one);
    return [capture?.note, noteSampled(one, capture)].filter((note) => note !== undefined);
  });
}

function noteSampled(error: unknown, capture: Capture | undefined): string | undefined {
  const sampled = listSampled();
  if (sampled.size === 0) return undefined;
  if (!isObject(error)) {
    const [place] = [...sampled].map(([file, line]) => `${file}:${line}`);
    return `Many errors were thrown at ${place}, and not all of them were captured. If the same value was thrown there again, the variables are those of an earlier throw.`;
  }
  const top = parseStack(readStack(error) ?? '').find(
    ({ filePath, isAsync }) => isAsync !== true && kindOfFile(filePath) !== 'runtime',
  );
  const line = top && sampled.get(top.filePath);
  if (line === undefined) return undefined;
  const place = `${top!.filePath}:${line}`;
  if (!capture)
    return `Its variables were not captured: many errors were thrown at ${place}, and of those that its functions throw and catch only some are captured. \`arm({ sample: false })\` captures all.`;
  const isThere = capture.frames.some(
    (frame) => frame.filePath === top!.filePath && (frame.line === top!.line || toName(frame) === toName(top!)),
  );
  if (isThere) return undefined;
  return `The frames are those of a later throw of the same error: many errors were thrown at ${place}, and the first throw was not captured. Its stack shows where it was.`;
}
