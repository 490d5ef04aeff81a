import { expect, test } from 'vitest';
import { isKlausError } from '@klaus/core/protocol';
import { parseScript } from './script.ts';

async function problemOf(text: string): Promise<string> {
  try {
    await parseScript(text, 'demo.yaml');
  } catch (error) {
    if (isKlausError(error) && error.code === 'config') return error.message;
    throw error;
  }
  throw new Error('the script was accepted');
}

test('YAML and JSON give the same script', async () => {
  const yaml = await parseScript('steps:\n  - reply: { text: hi }\n', 'a.yaml');
  const json = await parseScript('{"steps":[{"reply":{"text":"hi"}}]}', 'a.json');
  expect(yaml).toEqual(json);
  expect(yaml.steps[0]!.reply.text).toBe('hi');
});

const errors: [what: string, text: string, expected: string[]][] = [
  [
    'a value that is not allowed',
    'steps:\n  - reply:\n      text: hi\n      stop: endturn\n',
    [
      'demo.yaml:4: steps.0.reply.stop ',
      'end_turn, tool_use, max_tokens, stop_sequence, pause_turn, refusal, model_context_window_exceeded',
    ],
  ],
  ['an unknown key', 'steps:\n  - reply: { text: hi }\n    delya: 5\n', ['demo.yaml:2: steps.0 ', 'delya']],
  ['a missing key', 'steps:\n  - delay: 5\n', ['demo.yaml:2: steps.0.reply ', 'object']],
  [
    'an unknown fault',
    'steps:\n  - reply: { text: hi }\n    faults:\n      - kind: explode\n',
    ['demo.yaml:4: steps.0.faults.0.kind ', 'status, reset, truncate, malformed, error, hang, slow'],
  ],
  [
    'a broken regular expression',
    'steps:\n  - when: { user: "(" }\n    reply: { text: hi }\n',
    ['demo.yaml:2: steps.0.when.user ', '('],
  ],
  [
    'an unknown template filter',
    'steps:\n  - reply: { text: "{{result | upper}}" }\n',
    ['demo.yaml:2: steps.0.reply.text ', 'upper', "match 'regex', line N, json path"],
  ],
  [
    'an unknown template variable, deep in an input',
    'steps:\n  - reply:\n      calls:\n        - name: run\n          input: { a: [{ b: "{{nothing}}" }] }\n',
    ['demo.yaml:5: steps.0.reply.calls.0.input ', 'nothing', 'result, user, turn, system, model'],
  ],
  [
    'a call that names a tool and a shell command',
    'steps:\n  - reply:\n      calls:\n        - { name: bash, shell: ls }\n',
    ['demo.yaml:4: steps.0.reply.calls.0 ', 'name', 'shell'],
  ],
  [
    'a call of nothing',
    'steps:\n  - reply:\n      calls:\n        - { input: {} }\n',
    ['demo.yaml:4: steps.0.reply.calls.0 ', 'name', 'shell'],
  ],
  [
    'a shell command with an input',
    'steps:\n  - reply:\n      calls:\n        - { shell: ls, raw: "{}" }\n',
    ['demo.yaml:4: steps.0.reply.calls.0 ', 'raw', 'shell'],
  ],
  ['broken YAML', 'steps:\n  - reply: {\n', ['demo.yaml:3: ']],
];
test.each(errors)('%s is reported with file, line, key and the allowed values', async (_what, text, expected) => {
  const problem = await problemOf(text);
  for (const part of expected) expect(problem).toContain(part);
});
