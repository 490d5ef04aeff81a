import type { Script } from '@klaus/adapters/models';
import { KEYS } from '../fixtures/emulator.ts';
import type { Chance } from '../undo/chance.ts';

/** One thing that happens to a terminal. */
export type Step =
  | { kind: 'type'; text: string }
  | { kind: 'paste'; text: string }
  | { kind: 'resize'; columns: number; rows: number }
  | { kind: 'signal'; signal: 'SIGWINCH' | 'SIGCONT' | 'SIGSTOP' };

const ESC = '\u001b';

/** Words of all widths, with what completions, commands and dialogs react to. */
const WORDS = [
  'hello',
  '漢字かな',
  'e\u0301a\u0308',
  '👩\u200d💻',
  '🇩🇪',
  'שלום',
  ' ',
  '@',
  '@a',
  '/',
  '/he',
  'y',
  'n',
  'h',
];

const PRESSED: readonly string[] = [
  ...[KEYS.up, KEYS.down, `${ESC}[C`, `${ESC}[D`, `${ESC}[H`, `${ESC}[F`, `${ESC}[5~`, `${ESC}[6~`, `${ESC}[3~`],
  ...['\u0001', '\u0002', '\u0005', '\u0006', '\u000b', '\u0017', '\u0019', '\u001f', '\n'],
  ...[KEYS.ctrlU, KEYS.ctrlO, KEYS.ctrlR, KEYS.ctrlT, KEYS.ctrlL],
  ...[KEYS.tab, KEYS.shiftTab, KEYS.backspace, KEYS.enter, KEYS.altEnter, KEYS.escape],
  ...[`${ESC}a`, `${ESC}b`, `${ESC}f`, `${ESC}d`, `${ESC}[I`, `${ESC}[O`, `${ESC}[<0;3;3M`],
];

// Not Ctrl-G and Ctrl-Z: what is typed while another program has the terminal is echoed by it.
/** Keys that can leave the program, which are rare. */
const LEAVING = [KEYS.ctrlC, KEYS.ctrlD];

const PROMPTS = ['write it', 'run it', 'wait for it', 'stream it', 'plan it', 'hang up'];

const COMMANDS = [
  ...[
    '/help',
    '/cost',
    '/context',
    '/mode ask',
    '/mode auto',
    '/mode plan',
    '/new',
    '/fork',
    '/diff',
    '/undo',
    '/redo',
  ],
  ...['/sessions', '/rewind', '/tools', '/agents', '/budget', '/model', '/effort', '/theme', '/nothing', '/keys'],
];

const LINES = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
const ANSI = `${ESC}[31mred${ESC}[0m ${ESC}]0;title\u0007 ${ESC}[2J${ESC}[H\u0000\u0007\b`;

/** What a scripted model does with the prompts of {@link createSteps}. */
export const RANDOM_SCRIPT: Script = {
  steps: [
    { when: { user: 'done \\d+$' }, reply: { text: "Finished {{user | match 'done (\\d+)'}}." } },
    { when: { after: 'write_file' }, reply: { text: 'It is written.' } },
    { when: { after: 'run_command' }, reply: { text: 'It has run.' } },
    { when: { after: 'present_plan' }, reply: { text: 'It is planned.' } },
    {
      when: { user: 'write it$' },
      reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\nb\n' } }] },
    },
    {
      when: { user: 'run it$' },
      reply: {
        calls: [{ name: 'run_command', input: { command: String.raw`printf '\033[31mred\033[2J\033[H 漢字\n'` } }],
      },
    },
    { when: { user: 'wait for it$' }, reply: { calls: [{ name: 'run_command', input: { command: 'sleep 0.2' } }] } },
    {
      when: { user: 'plan it$' },
      reply: { calls: [{ name: 'present_plan', input: { plan: '# Plan\n\n1. Write a.txt\n' } }] },
    },
    {
      when: { user: 'stream it$' },
      reply: {
        text: '# Text\n\n| a | b |\n|---|---|\n| 漢字 | 👩\u200d💻 |\n\n- one\n- two\n\n```js\nlet a = 1;\n```\n\nThe end of it.',
      },
      chunk: 7,
      pace: 5,
    },
    {
      when: { user: 'hang up$' },
      reply: { text: 'It was not written.' },
      chunk: 4,
      faults: [{ kind: 'hang', after: 5, keepAlive: false }],
    },
  ],
  fallback: { text: 'Nothing to do.' },
};

/** The steps of a seed. */
export function createSteps(chance: Chance): Step[] {
  return Array.from({ length: 4 + chance.number(24) }, () => createStep(chance));
}

function createStep(chance: Chance): Step {
  const kind = chance.number(100);
  if (kind < 26) return { kind: 'type', text: chance.pick(WORDS) };
  if (kind < 60) return { kind: 'type', text: chance.pick(PRESSED) };
  if (kind < 62) return { kind: 'type', text: chance.pick(LEAVING) };
  if (kind < 72) return { kind: 'type', text: `${chance.pick(PROMPTS)}${chance.pick([KEYS.enter, KEYS.altEnter])}` };
  if (kind < 78) return { kind: 'type', text: `${chance.pick(COMMANDS)}${KEYS.enter}` };
  if (kind < 82) return { kind: 'type', text: createGarbage(chance) };
  if (kind < 87)
    return { kind: 'paste', text: chance.pick(['one\ntwo\nthree', ANSI, 'x'.repeat(2_000), '漢字'.repeat(80)]) };
  if (kind < 88) return { kind: 'paste', text: LINES };
  if (kind < 97) return { kind: 'resize', columns: 20 + chance.number(181), rows: 5 + chance.number(56) };
  return { kind: 'signal', signal: chance.pick(['SIGWINCH', 'SIGCONT', 'SIGSTOP'] as const) };
}

/** Sequences that no terminal sends. None of them begins a paste or leaves the program. */
function createGarbage(chance: Chance): string {
  const pieces = [
    ESC,
    `${ESC}[`,
    `${ESC}O`,
    `${ESC}]`,
    `${ESC}P`,
    ';',
    '9',
    'm',
    '1',
    '\u0000',
    '\u009b',
    '\ufffd',
    '~',
  ];
  return Array.from({ length: 1 + chance.number(12) }, () => chance.pick(pieces)).join('');
}

/** A sequence as a failure prints it. */
export function describeSteps(steps: readonly Step[]): string {
  return steps
    .map((step) => {
      if (step.kind === 'resize') return `resize ${step.columns}x${step.rows}`;
      if (step.kind === 'signal') return step.signal;
      const text = JSON.stringify(step.text);
      return `${step.kind} ${text.length > 80 ? `${text.slice(0, 60)}… (${step.text.length})` : text}`;
    })
    .join('\n');
}
