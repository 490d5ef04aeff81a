import { pathToFileURL } from 'node:url';
import { arm } from '../../../apps/debug/capture/arm.ts';
import { createRedactor } from '../../../apps/debug/redact/create-redactor.ts';
import { createLiveSubject } from '../../../apps/debug/server/live-subject.ts';

/** Runs a program, and prints the frames of the error that it rejects with, each with the previews of its variables. */
const armed = arm();
let isDone = false;

function look(error: unknown): void {
  if (isDone) return;
  isDone = true;
  armed.disarm();
  const subject = createLiveSubject({ error, context: { error }, redactor: createRedactor({ env: {} }) });
  const frames = subject.frames.map((frame, index) => ({
    ...frame,
    locals: Object.fromEntries(
      frame.hasLocals === true
        ? subject.tree(index, { path: undefined, depth: 1 }).map(({ name, preview }) => [name, preview])
        : [],
    ),
  }));
  process.stdout.write(`\n${JSON.stringify({ error: subject.error, frames })}\n`, () => process.exit(0));
}

process.on('uncaughtException', look);
process.on('unhandledRejection', look);
await import(pathToFileURL(process.argv[2]!).href).catch(look);
