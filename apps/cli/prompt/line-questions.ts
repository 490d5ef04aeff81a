import { err } from '../output/sink.ts';
import { openKeyboard } from './keyboard.ts';
import type { Check, Choice, Questions } from './questions.ts';

/** Questions whose answers are lines: nothing on the screen changes. */
export async function openLineQuestions(title: string): Promise<Questions> {
  const keyboard = await openKeyboard();
  err.write(`${title}\n`);
  const ask = async (message: string, check: Check = () => undefined, isHidden = false) => {
    for (;;) {
      const line = await keyboard.line(`${message}: `, { isHidden });
      if (line === undefined || line === 'ctrl-c') return undefined;
      const problem = check(line.trim());
      if (problem === undefined) return line.trim();
      err.write(`${problem}\n`);
    }
  };
  return {
    async select(message, choices) {
      list(message, choices);
      const answer = await ask(`A number from 1 to ${choices.length}, or Enter for 1`, (text) =>
        text === '' ? undefined : checkNumber(text, choices.length),
      );
      return answer === undefined ? undefined : choices[Number(answer || '1') - 1]!.value;
    },
    async selectMany(message, choices) {
      list(message, choices);
      const answer = await ask('Numbers with spaces between them, or Enter for none', (text) =>
        toWords(text)
          .map((word) => checkNumber(word, choices.length))
          .find((problem) => problem !== undefined),
      );
      if (answer === undefined) return undefined;
      const chosen = new Set(toWords(answer).map(Number));
      return choices.filter((_, at) => chosen.has(at + 1)).map(({ value }) => value);
    },
    text: (message, check) => ask(message, check),
    secret: (message, check) => ask(message, check, true),
    async wait({ doing, done }, work) {
      err.write(`${doing}\n`);
      // Ctrl-C is a signal.
      keyboard.pause();
      try {
        const result = await work();
        err.write(`${done}\n`);
        return result;
      } finally {
        keyboard.resume();
      }
    },
    warn: (message) => err.write(`${message}\n`),
    end({ title: done, lines = [], next }) {
      err.write([done, ...lines, ...(next === undefined ? [] : [next])].map((line) => `${line}\n`).join(''));
    },
    cancel: (message) => err.write(`${message}\n`),
    [Symbol.dispose]: () => keyboard[Symbol.dispose](),
  };
}

function list(message: string, choices: readonly Choice<string>[]): void {
  const rows = choices.map(({ label, hint }, at) => `${at + 1}. ${label}${hint === undefined ? '' : ` (${hint})`}\n`);
  err.write(`${message}\n${rows.join('')}`);
}

function toWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

function checkNumber(text: string, last: number): string | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= last ? undefined : `${text} is not a number from 1 to ${last}.`;
}
