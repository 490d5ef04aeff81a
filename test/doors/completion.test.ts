// Covers apps/cli: shell completion.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestEngine } from '../fixtures/engine.ts';
import type { TestHome } from '../fixtures/test-home.ts';

const root = join(import.meta.dirname, '../..');

/** The environment of a shell that finds `klaus`. */
function withProgram(place: TestHome): Record<string, string> {
  const bin = join(place.home, 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'klaus'), join(bin, 'klaus'));
  return { ...place.env, PATH: `${bin}:${place.env['PATH']}` };
}

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

test('bash completes the ids of sessions and of open approvals, and the names of agents', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [{ reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } }],
      fallback: { text: 'Done.' },
    },
    settings: { approve: 'ask' },
  });
  const { klaus, place } = engine;
  const sessions = [await klaus.open(), await klaus.open()];
  await sessions[0]!.prompt('go', { onAsk: 'wait' });
  await sessions[0]!.advance();
  const env = withProgram(place);
  const offered = (...words: string[]): string[] => {
    const script = `source <(klaus completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _klaus; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8', env, cwd: place.workspace })
      .trim()
      .split('\n');
  };
  const ids = sessions.map(({ id }) => id).sort();
  expect(offered('klaus', 'show', '01').sort()).toEqual(ids);
  expect(offered('klaus', 'undo', '--session', '').sort()).toEqual(ids);
  expect(offered('klaus', 'approve', '01')).toEqual((await klaus.approvals()).map(({ id }) => id));
  expect(offered('klaus', 'show', '--js')).toEqual(['--json']);
  expect(offered('klaus', 'sessions', '01')).toEqual(['']);
  const agents = join(place.workspace, '.klaus/agents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(agents, 'reviewer.md'), '---\nname: reviewer\ndescription: b\n---\n');
  expect(offered('klaus', 'agents', 'show', 're')).toEqual(['reviewer']);
  expect(offered('klaus', 'run', '--agent', '')).toEqual(['reviewer']);
  expect(offered('klaus', 'agents', 'exp')).toEqual(['export']);
});

test.skipIf(!has('fish'))('fish completes commands, values, files and ids (skipped without fish)', async () => {
  await using engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } } });
  const { klaus, place } = engine;
  const { id } = await klaus.open();
  const env = withProgram(place);
  writeFileSync(join(place.workspace, 'schema.json'), '{}');
  mkdirSync(join(place.workspace, 'inner'));
  const offered = (line: string): string[] => {
    const script = 'klaus completion fish | source; complete -C $argv[1]';
    const text = execFileSync('fish', ['--no-config', '-c', script, line], {
      encoding: 'utf8',
      env,
      cwd: place.workspace,
    });
    return text.split('\n').flatMap((each) => (each === '' ? [] : [each.split('\t')[0]!]));
  };
  expect(offered('klaus ses')).toEqual(['sessions']);
  expect(offered('klaus help ses')).toEqual(['sessions']);
  expect(offered('klaus db ')).toEqual(expect.arrayContaining(['stats', 'recover']));
  expect(offered('klaus db stats ')).toEqual([]);
  expect(offered('klaus agents exp')).toEqual(['export']);
  expect(offered('klaus agents export --form')).toEqual([]);
  expect(offered('klaus --approve ')).toEqual(['ask', 'auto', 'edits', 'plan']);
  expect(offered('klaus --approve ask --budget-')).toEqual(['--budget-tokens', '--budget-usd']);
  expect(offered('klaus --output-schema s')).toEqual(['schema.json']);
  expect(offered('klaus --cwd i')).toEqual(['inner/']);
  expect(offered('klaus show ')).toEqual([id]);
});

/** Types each line and a tab into an interactive zsh, and waits for a text that was not typed. */
const TYPE = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; autoload -Uz compinit && compinit -u -D; $1; bindkey '^I' complete-word; print READY-\\$((1+1))"
zpty -r z out '*READY-2*'
shift
while (( $# )); do
  zpty -w -n z "$1"$'\t'
  zpty -r z out "*$2*"
  zpty -w -n z $'\x15'
  print -r -- "$2"
  shift 2
done
zpty -d z`;

test.skipIf(!has('zsh'))(
  'zsh completes commands, values, files and ids, as a function too (skipped without zsh)',
  async () => {
    await using engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } } });
    const { klaus, place } = engine;
    const { id } = await klaus.open();
    const env: Record<string, string> = { ...withProgram(place), TERM: 'xterm' };
    writeFileSync(join(place.workspace, 'schema.json'), '{}');
    const expected = [
      ['klaus ses', 'sions'],
      ['klaus db ', 'clear-sessions'],
      ['klaus agents exp', 'ort'],
      ['klaus run --approve ', 'edits'],
      ['klaus --budget-', 'budget-tokens'],
      ['klaus --output-schema s', 'chema.json'],
      ['klaus show ', id],
    ] as const;
    const type = (setup: string, lines: readonly (readonly [string, string])[]): string =>
      execFileSync('zsh', ['-f', '-c', TYPE, 'zsh', setup, ...lines.flat()], {
        encoding: 'utf8',
        env,
        cwd: place.workspace,
        // A text that does not appear is an error, not a wait.
        timeout: 60_000,
      });
    const texts = expected.map(([, text]) => `${text}\n`).join('');
    expect(type('source <(klaus completion zsh)', expected)).toBe(texts);
    const functions = join(place.home, 'functions');
    mkdirSync(functions);
    writeFileSync(
      join(functions, '_klaus'),
      execFileSync(join(env['PATH']!.split(':')[0]!, 'klaus'), ['completion', 'zsh'], { env, encoding: 'utf8' }),
    );
    const first = expected.slice(0, 2);
    expect(type(`fpath=(${functions} $fpath); compinit -u -D`, first)).toBe(
      first.map(([, text]) => `${text}\n`).join(''),
    );
  },
);
