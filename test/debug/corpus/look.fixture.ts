import { pathToFileURL } from 'node:url';
import { arm } from '../../../apps/debug/capture/arm.ts';
import { createRedactor } from '../../../apps/debug/redact/create-redactor.ts';
import { createLiveSubject } from '../../../apps/debug/server/live-subject.ts';
import { readSource } from '../../../apps/debug/server/read-source.ts';
import type { ValueNode } from '../../../apps/debug/contract/index.ts';

/**
 * Runs a program that fails, and looks at it by one rule: the variables of the innermost user frame with variables; then
 * the variable that the failing line names, deeper; then the variables of the next user frame. Prints what it saw.
 */
const looks: { frame: string; values: ValueNode[] }[] = [];
const armed = arm();
let isDone = false;

function look(error: unknown): void {
  if (isDone) return;
  isDone = true;
  armed.disarm();
  const redactor = createRedactor({ env: {} });
  const subject = createLiveSubject({ error, context: {}, redactor });
  const { frames } = subject;
  const usable = frames.flatMap((frame, index) =>
    frame.isUser === true && frame.hasLocals === true ? [{ frame, index }] : [],
  );
  const see = (index: number, path: string | undefined, depth: number): void =>
    void looks.push({ frame: frames[index]!.functionName ?? '', values: [...subject.tree(index, { path, depth })] });
  const [first, second] = usable;
  if (first) {
    see(first.index, undefined, 2);
    const line = first.frame.line === undefined ? '' : readSource(first.frame.filePath, first.frame.line, 0).text;
    const named = looks[0]!.values.filter(
      ({ name, path }) => path !== undefined && new RegExp(`\\b${name}\\b`).test(line),
    );
    if (named[0]) see(first.index, named[0].path, 4);
  }
  if (second) see(second.index, undefined, 2);
  process.stdout.write(`\n${JSON.stringify({ frames, looks })}\n`, () => process.exit(0));
}

process.on('uncaughtException', look);
process.on('unhandledRejection', look);
import(pathToFileURL(process.argv[2]!).href).catch(look);
