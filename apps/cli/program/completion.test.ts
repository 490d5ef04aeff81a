import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { toCompletion } from './completion.ts';
import { createProgram } from './program.ts';

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const script = `${toCompletion(createProgram(), 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _klaus; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

test('bash completes commands, their options and the values that an option can have', () => {
  expect(offered('klaus', 'ses')).toEqual(['sessions']);
  expect(offered('klaus', 'db', '')).toEqual(expect.arrayContaining(['stats', 'clear-sessions', 'verify', 'recover']));
  expect(offered('klaus', 'db', 'clear-sessions', '--o')).toEqual(['--older-than']);
  expect(offered('klaus', '--budget-')).toEqual(['--budget-usd', '--budget-tokens']);
  expect(offered('klaus', '--approve', '')).toEqual(['plan', 'ask', 'edits', 'auto']);
  // The value of an option is no command.
  expect(offered('klaus', '--model', 'opus', 'exp')).toEqual(['export']);
});

test('fish and zsh get every command too', () => {
  const names = createProgram().commands.map((command) => command.name());
  for (const shell of ['zsh', 'fish'] as const) {
    const script = toCompletion(createProgram(), shell);
    for (const name of names) expect(script).toContain(name);
  }
});

test('what is declared for a line is what the whole program would do with it', () => {
  const whole = createProgram();
  for (const name of ['run', 'resume', 'steer', 'cancel']) {
    const command = (program: typeof whole) => program.commands.find((each) => each.name() === name)!.helpInformation();
    expect(command(createProgram(() => {}, name))).toBe(command(whole));
  }
  for (const first of ['sessions', 'help', '--help', 'fix', undefined])
    expect(createProgram(() => {}, first).commands.length).toBe(whole.commands.length);
  expect(createProgram(() => {}, 'fix the test').commands.map((each) => each.name())).toContain('run');
});
