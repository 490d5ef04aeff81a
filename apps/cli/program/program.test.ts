import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
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

/** Those that another command does not replace. */
const LISTED = COMMAND_NAMES.filter((name) => !['steer', 'cancel'].includes(name));

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
  expect((await toListed(['help', '--all'])).filter((name) => name !== 'help')).toEqual(LISTED);
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
  expect(listed.toSorted()).toEqual(LISTED.toSorted());
});

/** Every command below this one, with the words that name it. */
function listAll(program: Command, path: readonly string[] = []): { words: readonly string[]; command: Command }[] {
  return program.commands
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const words = [...path, command.name()];
      return [{ words, command }, ...listAll(command, words)];
    });
}

function toHelp(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

/** The words that each line gives to `klaus`, as a shell reads them. */
function readCalls(lines: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-examples-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = lines.flatMap((line) => line.match(/[\w-]+\.(?:json|txt|yaml)/g) ?? []);
  const calls = lines.map(
    (line, at) => `klaus() { printf '%s\\0' "$@" > ${at}.call; }\n${line.replace(/ {2,}.*$/, '')}\nwait\n`,
  );
  const script = ['git() { :; }', 'jq() { cat; }', ...files.map((file) => `: > ${file}`), ...calls].join('\n');
  execFileSync('bash', ['-c', `${script}\ntrue`], {
    cwd: folder,
    env: { ...process.env, EDITOR: 'true' },
    stdio: 'pipe',
  });
  const toWords = (file: string): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\0').slice(0, -1) : [];
  return lines.map((_, at) => toWords(join(folder, `${at}.call`)));
}

test('the help of every command has examples, which are lines of it with options that it has', async () => {
  const wrong: string[] = [];
  const all = listAll(await createProgram(['--help']));
  const examples = all.flatMap(({ words, command }) => {
    const [, found = ''] = /\nExamples?:\n((?: {2}.*\n)+)/.exec(toHelp(command)) ?? [];
    if (found === '') wrong.push(`klaus ${words.join(' ')} has no example`);
    return found.split('\n').flatMap((line) => (line === '' ? [] : [{ words, line: line.trim() }]));
  });
  const shown = new Set<readonly string[]>();
  const calls = readCalls(examples.map(({ line }) => line));
  for (const [at, { words, line }] of examples.entries()) {
    const given = calls[at]!;
    const called = all.findLast((each) => each.words.every((word, index) => given[index] === word));
    const end = given.includes('--') ? given.indexOf('--') : given.length;
    const options = given.slice(called?.words.length, end).filter((word) => /^--?[a-z]/.test(word));
    const known = called?.command.options.flatMap(({ long, short }) => [long, short]) ?? [];
    if (!options.every((word) => known.includes(word.split('=')[0]))) wrong.push(`${line}: unknown option`);
    if (words.every((word, index) => called?.words[index] === word)) shown.add(words);
  }
  for (const { words } of all)
    if (!shown.has(words)) wrong.push(`${words.join(' ')}: its examples are those of others`);
  expect(wrong).toEqual([]);
});
