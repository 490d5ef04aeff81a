import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import * as clack from '@clack/prompts';
import { err } from '../output/sink.ts';
import { EXIT } from '../program/exit-codes.ts';
import type { Check, Choice, Questions } from './questions.ts';

/** Questions in a frame, answered with the arrow keys and Enter. */
export function openClackQuestions(title: string): Questions {
  const input = new ReadStream(openSync('/dev/tty', 'r'));
  const output = err.stream;
  const common = { input, output };
  // Ctrl-D closes the input of Clack, which would wait for ever.
  clack.updateSettings({ aliases: { '\u0004': 'cancel' } });
  clack.intro(title, common);
  return {
    select: async <T extends string>(message: string, choices: readonly Choice<T>[]) =>
      unlessCancelled(await clack.select<string>({ ...common, message, options: [...choices] })) as T | undefined,
    selectMany: async <T extends string>(message: string, choices: readonly Choice<T>[]) =>
      unlessCancelled(
        await clack.multiselect<string>({ ...common, message, options: [...choices], required: false }),
      ) as T[] | undefined,
    text: async (message, check) =>
      unlessCancelled<string>(await clack.text({ ...common, message, validate: toValidate(check) }))?.trim(),
    secret: async (message, check) =>
      unlessCancelled<string>(await clack.password({ ...common, message, validate: toValidate(check) }))?.trim(),
    async wait({ doing, done }, work) {
      const spinner = clack.spinner({ output, cancelMessage: 'Cancelled' });
      // The spinner ends the process at Ctrl-C, with 0.
      const interrupt = (): void => void (process.exitCode = EXIT.interrupted);
      process.on('exit', interrupt);
      spinner.start(doing);
      try {
        const result = await work();
        spinner.stop(done);
        return result;
      } catch (error) {
        spinner.error(doing);
        throw error;
      } finally {
        process.off('exit', interrupt);
      }
    },
    warn: (message) => clack.log.warn(message, common),
    end({ title: done, lines = [], next }) {
      if (lines.length > 0) clack.note(lines.join('\n'), done, common);
      clack.outro(next ?? done, common);
    },
    cancel: (message) => clack.cancel(message, common),
    [Symbol.dispose]: () => void input.destroy(),
  };
}

function unlessCancelled<T>(answer: T | symbol): T | undefined {
  return clack.isCancel(answer) ? undefined : (answer as T);
}

/** The lines of a problem are below its first one, which Clack indents by three columns. */
function toValidate(check: Check = () => undefined) {
  return (text: string | undefined): string | undefined => {
    const width = Math.max(20, (err.columns || 80) - 4);
    return check((text ?? '').trim())
      ?.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n   ')
      .trimEnd();
  };
}
