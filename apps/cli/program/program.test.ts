import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { toCompletionScript } from '../completion/completion-script.ts';
import { COMMAND_NAMES, createProgram } from './program.ts';

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${toCompletionScript(await createProgram(), 'bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _klaus; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

test('bash completes commands, their options and the values of an option', async () => {
  expect(await offered('klaus', 'ses')).toEqual(['sessions']);
  expect(await offered('klaus', 'db', '')).toEqual(
    expect.arrayContaining(['stats', 'clear-sessions', 'verify', 'recover']),
  );
  expect(await offered('klaus', 'db', 'clear-sessions', '--o')).toEqual(['--older-than']);
  expect(await offered('klaus', '--budget-')).toEqual(['--budget-usd', '--budget-tokens']);
  expect(await offered('klaus', '--approve', '')).toEqual(['plan', 'ask', 'edits', 'auto']);
  // The value of an option is not a command.
  expect(await offered('klaus', '--model', 'opus', 'exp')).toEqual(['export']);
});

test('fish and zsh get every command too', async () => {
  for (const shell of ['zsh', 'fish'] as const) {
    const script = toCompletionScript(await createProgram(), shell);
    for (const name of COMMAND_NAMES) expect(script).toContain(name);
  }
});

const toNames = ({ commands }: Awaited<ReturnType<typeof createProgram>>) => commands.map((each) => each.name());

test('each command has the name under which it is loaded, in this order', async () => {
  expect(toNames(await createProgram())).toEqual(COMMAND_NAMES);
});

test('a line loads only the commands that it can mean', async () => {
  for (const name of ['run', 'resume', 'sessions', 'audit'])
    expect(toNames(await createProgram([name, '--help']))).toEqual([name]);
  for (const words of [[], ['fix the test'], ['--json', 'fix'], ['sesions']])
    expect(toNames(await createProgram(words))).toEqual(['run']);
  for (const words of [['--help'], ['-h'], ['help', 'run'], ['--json', '--help'], ['completion', 'bash']])
    expect(toNames(await createProgram(words))).toEqual(COMMAND_NAMES);
});

test('the help lists a dozen commands, or those of a topic', async () => {
  const toListed = async (words: string[]): Promise<string[]> => {
    const program = await createProgram(words);
    return program
      .createHelp()
      .visibleCommands(program)
      .map((each) => each.name());
  };
  const short = await toListed(['--help']);
  expect(short.length).toBeLessThanOrEqual(12);
  expect(short).toContain('chat');
  expect(await toListed(['help', 'safety'])).toContain('gate');
  expect(await toListed(['help', 'safety'])).not.toContain('chat');
  expect((await toListed(['help', '--all'])).filter((name) => name !== 'help')).toEqual(COMMAND_NAMES);
});

test('every command is in a topic whose name is no command', async () => {
  const topics = ['running', 'delegation', 'history', 'parallel', 'review', 'branches', 'claude-code', 'safety'];
  const listed: string[] = [];
  for (const topic of [...topics, 'servers', 'maintenance']) {
    const program = await createProgram(['help', topic]);
    listed.push(
      ...program
        .createHelp()
        .visibleCommands(program)
        .map((each) => each.name()),
    );
    expect(COMMAND_NAMES).not.toContain(topic);
  }
  expect(listed.toSorted()).toEqual(COMMAND_NAMES.toSorted());
});
