import type { RecordedRequest, Script } from '@klaus/sdk';

/** One piece of work that every agent does alike, because the script decides what it does. */
export interface Task {
  /** What is typed after `--task`. */
  readonly name: string;
  readonly title: string;
  readonly script: Script;
  /** Requests that the work takes, apart from those for a title and the like. */
  readonly requests: number;
  /**
   * What shows that the agent has not done the work; undefined when it has.
   *
   * @param stdout All that it wrote.
   * @param requests Those that the work took.
   */
  check(stdout: string, requests: readonly RecordedRequest[]): string | undefined;
}

export const PROMPT = 'Look around here and describe what you see.';

/** Requests for titles and summaries bring no tools. */
const TITLE: Script['steps'][number] = { when: { tools: false }, reply: { text: 'Looking around' } };

const oneTool: Task = {
  name: 'one-tool',
  title: 'One tool call',
  script: {
    steps: [
      TITLE,
      { when: { turn: 0 }, reply: { text: 'I look first.', calls: [{ shell: 'echo seen-$((6 * 7))' }] } },
      { when: { turn: 1 }, reply: { text: "It said {{result | match 'seen-42'}}, so I am done." } },
    ],
  },
  requests: 2,
  check: (stdout) => missing(stdout, 'It said seen-42, so I am done.'),
};

/** Milliseconds in which the model answers nothing: work during this time costs no time. */
const THINKS_MS = 300;

const slowModel: Task = {
  ...oneTool,
  name: 'slow-model',
  title: `One tool call, and a model that takes ${THINKS_MS} ms`,
  script: {
    steps: oneTool.script.steps.map((step) => ('tools' in (step.when ?? {}) ? step : { ...step, delay: THINKS_MS })),
  },
};

const TURNS = 40;
const toMark = (turn: number): string => `mark-${1_000 + turn}`;

const manyTurns: Task = {
  name: 'turns',
  title: `${TURNS} turns`,
  script: {
    steps: [TITLE, { when: { turn: TURNS - 1 }, reply: { text: "The last was {{result | match 'mark-[0-9]+'}}." } }],
    fallback: { text: 'Again.', calls: [{ shell: 'echo mark-$((1000 + {{turn}}))' }] },
  },
  requests: TURNS,
  check(stdout, requests) {
    const last = requests.at(-1)?.body ?? '';
    const lost = Array.from({ length: TURNS - 1 }, (_, turn) => toMark(turn)).find((mark) => !last.includes(mark));
    if (lost !== undefined) return `the last request has no ${lost}`;
    return missing(stdout, `The last was ${toMark(TURNS - 2)}.`);
  },
};

const DELTAS = 20_000;

const deltas: Task = {
  name: 'deltas',
  title: `${DELTAS.toLocaleString('en')} deltas in one message`,
  script: { steps: [TITLE, { reply: { text: { repeat: 'word ', times: DELTAS } }, chunk: 5 }] },
  requests: 1,
  check(stdout) {
    const words = stdout.split('word ').length - 1;
    return words < DELTAS ? `only ${words} of ${DELTAS} words were written` : undefined;
  },
};

const LINES = 3_000_000;

const bigOutput: Task = {
  name: 'big-output',
  title: 'A tool output of 23 MB',
  script: {
    steps: [
      TITLE,
      { when: { turn: 0 }, reply: { text: 'I count.', calls: [{ shell: `seq 1 ${LINES}` }] } },
      // Some keep the head of a long output, some the tail, some both.
      { when: { turn: 1 }, reply: { text: "I saw {{result | match '[0-9]+\\n[0-9]+\\n[0-9]+' | line 2}} and more." } },
    ],
  },
  requests: 2,
  check: (stdout) => (/I saw \d+ and more\./.test(stdout) ? undefined : 'the output never reached the model'),
};

export const TASKS: readonly Task[] = [oneTool, slowModel, manyTurns, deltas, bigOutput];

function missing(stdout: string, text: string): string | undefined {
  return stdout.includes(text) ? undefined : `it never wrote: ${text}`;
}
