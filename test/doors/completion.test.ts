// Covers apps/cli: shell completion.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestEngine } from '../fixtures/engine.ts';
import { hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const root = join(import.meta.dirname, '../..');

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
  const bin = join(place.home, 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'klaus'), join(bin, 'klaus'));
  const env = { ...place.env, PATH: `${bin}:${place.env['PATH']}` };
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
  for (const agents of [join(place.home, 'agents'), join(place.workspace, '.klaus/agents')]) {
    mkdirSync(agents, { recursive: true });
    writeFileSync(join(agents, 'reviewer.md'), '---\nname: reviewer\ndescription: b\n---\n');
  }
  expect(offered('klaus', 'agents', 'show', 're')).toEqual(['reviewer']);
  expect(offered('klaus', 'run', '--agent', '').sort()).toEqual(['project/reviewer', 'reviewer']);
  expect(offered('klaus', 'agents', 'exp')).toEqual(['export']);
  expect(offered('klaus', 'login', 'open')).toEqual(['openai', 'openrouter']);
  expect(offered('klaus', 'logout', 'an')).toEqual(['anthropic']);
});

const has = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined;

/** An environment whose PATH has the program as `klaus`. */
function provideKlaus({ home, env }: TestHome): Record<string, string> {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(root, 'klaus'), join(bin, 'klaus'));
  return { ...env, PATH: `${bin}:${env['PATH']}` };
}

test.skipIf(!has('fish'))('fish completes commands, options, their values and the words of an argument', () => {
  using place = createTestHome();
  const env = provideKlaus(place);
  mkdirSync(join(place.workspace, 'inner'));
  const script = execFileSync('klaus', ['completion', 'fish'], { encoding: 'utf8', env });
  const offered = (line: string): string[] =>
    execFileSync('fish', ['--no-config', '-c', `${script}\ncomplete -C '${line}'`], {
      encoding: 'utf8',
      env,
      cwd: place.workspace,
    })
      .trim()
      .split('\n')
      .map((row) => row.split('\t')[0]!);
  expect(offered('klaus logi')).toEqual(['login']);
  expect(offered('klaus login --l')).toEqual(['--list']);
  expect(offered('klaus login open')).toEqual(['openai', 'openrouter']);
  expect(offered('klaus logout ')).toEqual(['anthropic', 'openai', 'openrouter']);
  // No files, although README.md exists.
  expect(offered('klaus run --output-format ')).toEqual(['json', 'stream-json', 'text']);
  expect(offered('klaus completion ')).toEqual(['bash', 'fish', 'zsh']);
  expect(offered('klaus run --cwd ')).toEqual(['inner/']);
  expect(offered('klaus run --output-schema REA')).toEqual(['README.md']);
  expect(offered('klaus --approve ask --budget-')).toEqual(['--budget-tokens', '--budget-usd']);
  expect(offered('klaus db stats ')).toEqual(['']);
  // klaus export has it.
  expect(offered('klaus agents export --form')).toEqual(['']);
  expect(offered('klaus help ses')).toEqual(['sessions']);
});

const ZSH_SETUPS = [
  ['sourced', "PS1='zsh: '\nautoload -Uz compinit; compinit -u -D\nsource <(klaus completion zsh)\n"],
  ['as a function', "PS1='zsh: '\nfpath=($HOME $fpath)\nautoload -Uz compinit; compinit -u -D\n"],
] as const;

test.skipIf(!has('zsh') || !hasTmux).each(ZSH_SETUPS)(
  'zsh completes commands, values and ids: %s',
  async (_, start) => {
    using place = createTestHome();
    const env = provideKlaus(place);
    mkdirSync(join(place.home, 'agents'), { recursive: true });
    writeFileSync(join(place.home, 'agents/reviewer.md'), '---\nname: reviewer\ndescription: b\n---\n');
    writeFileSync(join(env['HOME']!, '_klaus'), execFileSync('klaus', ['completion', 'zsh'], { env }));
    writeFileSync(join(env['HOME']!, '.zshrc'), start);
    await using terminal = await openTerminal(['zsh', '-i'], { env, cwd: place.workspace });
    await terminal.shows('zsh:');
    for (const [typed, shown] of [
      ['klaus logi', /klaus login$/m],
      ['klaus login --li', /klaus login --list$/m],
      ['klaus login an', /klaus login anthropic$/m],
      ['klaus logout an', /klaus logout anthropic$/m],
      ['klaus run --output-format s', /--output-format stream-json$/m],
      ['klaus db st', /klaus db stats$/m],
      ['klaus agents show re', /klaus agents show reviewer$/m],
    ] as const) {
      await terminal.type(typed, 'Tab');
      expect(await terminal.shows(shown)).toMatch(shown);
      await terminal.type('C-u');
    }
  },
);
