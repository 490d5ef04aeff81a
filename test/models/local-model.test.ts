// Covers apps/cli/prompt, apps/cli/commands, apps/terminal/commands, sdk/models, sdk/diagnose: the first use of a model server on this machine.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '@klaus/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, runKlaus, toEnv } from '../fixtures/klaus.ts';
import { startLocalProgram, type LocalProgram, type LocalProgramOptions } from '../fixtures/local-program.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome } from '../fixtures/test-home.ts';

async function start(options: LocalProgramOptions): Promise<LocalProgram> {
  const program = await startLocalProgram(options);
  onTestFinished(() => program[Symbol.asyncDispose]());
  return program;
}

const SAYS_HELLO = 'steps: []\nfallback: { text: hello }\n';
/** No model is configured, and no other program of this machine is found at the usual port of llama.cpp. */
const toVariables = (ollama: LocalProgram, llamacpp?: LocalProgram) => ({
  AGENT_MODEL: '',
  OLLAMA_HOST: ollama.host,
  LLAMA_ARG_PORT: llamacpp ? new URL(llamacpp.origin).port : '1',
});

test('nothing is sent in a script until it is allowed once, and then it is remembered', async () => {
  using place = createTestHome();
  const program = await start({ family: 'ollama', id: 'qwen3:8b', script: SAYS_HELLO });
  const env = toVariables(program);
  const klaus = (...words: string[]) => runKlaus([...words, 'Say hello.'], { place, env });
  for (const model of ['local', 'ollama/qwen3:8b']) {
    const refused = await klaus('-m', model);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('klaus -m ollama/qwen3:8b --yes') });
    expect(refused.stderr).toContain(program.origin);
  }
  expect(program.bodies).toEqual([]);
  expect(program.asked.every((line) => line.startsWith('GET '))).toBe(true);
  expect(await klaus('-m', 'local', '--yes')).toMatchObject({ code: 0, stdout: 'hello\n' });
  expect(statSync(join(place.home, 'local-servers.json')).mode & 0o777).toBe(0o600);
  expect(await klaus('-m', 'ollama/qwen3:8b')).toMatchObject({ code: 0, stdout: 'hello\n' });
});

test('of two programs none is chosen in a script, and the commands are named', async () => {
  using place = createTestHome();
  const ollama = await start({ family: 'ollama', id: 'qwen3:8b' });
  const llamacpp = await start({ family: 'llamacpp', id: 'gpt-oss.gguf' });
  const result = await runKlaus(['-m', 'local', '--yes', 'hi'], { place, env: toVariables(ollama, llamacpp) });
  expect(result.code).toBe(3);
  for (const command of ['klaus -m ollama/qwen3:8b', 'klaus -m llamacpp/gpt-oss.gguf'])
    expect(result.stderr).toContain(command);
  expect([...ollama.bodies, ...llamacpp.bodies]).toEqual([]);
});

test('a server of the settings with the same name is used without a question', async () => {
  using place = createTestHome();
  const program = await start({ family: 'ollama', id: 'qwen3:8b', script: SAYS_HELLO });
  const settings = `servers: { ollama: { baseUrl: "${program.origin}/v1", family: ollama, price: { input: 0, output: 0 } } }`;
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'config.yaml'), settings);
  const result = await runKlaus(['-m', 'ollama/qwen3:8b', 'hi'], { place, env: { AGENT_MODEL: '' } });
  expect(result).toMatchObject({ code: 0, stdout: 'hello\n' });
});

test('klaus doctor names the program, its address and its user, and sends no text', async () => {
  using place = createTestHome();
  const program = await start({ family: 'ollama', id: 'qwen3:8b' });
  const { stdout } = await runKlaus(['doctor', '--json'], { place, env: toVariables(program) });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const found = findings.find(({ name }) => name === 'local models');
  expect(found).toMatchObject({ status: 'ok', text: expect.stringContaining(program.origin) });
  expect(found?.text).toContain('klaus -m ollama/qwen3:8b');
  expect(program.asked.every((line) => line.startsWith('GET '))).toBe(true);
});

describe.runIf(hasScript)('in a terminal (needs script)', () => {
  test('a start without a key offers the model, and it is the one of later sessions', async () => {
    using place = createTestHome();
    const program = await start({ family: 'ollama', id: 'qwen3:8b', script: SAYS_HELLO });
    await using terminal = await openEmulator([process.execPath, MAIN], {
      env: toEnv({ place, env: toVariables(program) }),
      cwd: place.workspace,
      columns: 120,
    });
    await terminal.shows('ollama/qwen3:8b');
    expect(program.bodies).toEqual([]);
    terminal.type(KEYS.enter);
    await terminal.shows('/help');
    expect(readFileSync(join(place.home, 'config.yaml'), 'utf8')).toContain('model: ollama/qwen3:8b');
    terminal.type(`hi${KEYS.enter}`);
    await terminal.shows('hello');
  });

  test('the question takes a letter and Enter that arrive together', async () => {
    using place = createTestHome();
    const program = await start({ family: 'ollama', id: 'qwen3:8b', script: SAYS_HELLO });
    await using terminal = await openEmulator([process.execPath, MAIN, '-m', 'local', 'Say it.'], {
      env: toEnv({ place, env: toVariables(program) }),
      cwd: place.workspace,
      columns: 120,
    });
    await terminal.shows(program.origin);
    expect(program.bodies).toEqual([]);
    terminal.type(`y${KEYS.enter}`);
    await terminal.shows('hello');
  });

  test('/model asks before the first use of a program', { tags: ['long'] }, async () => {
    using place = createTestHome();
    const program = await start({ family: 'ollama', id: 'qwen3:8b', script: SAYS_HELLO });
    await using terminal = await openEmulator([process.execPath, MAIN], {
      env: toEnv({
        place,
        env: {
          ...toVariables(program),
          AGENT_MODEL: 'anthropic/claude-sonnet-5-5',
          ANTHROPIC_API_KEY: 'sk-x-1f2e3d4c5b6a',
        },
      }),
      cwd: place.workspace,
      columns: 120,
    });
    await terminal.shows('/help');
    expect(program.asked).toEqual([]);
    terminal.type(`/model ollama/qwen3:8b${KEYS.enter}`);
    await terminal.shows(program.origin);
    terminal.type(KEYS.enter);
    await terminal.shows(/^ qwen3:8b/m);
    terminal.type(`hi${KEYS.enter}`);
    await terminal.shows('hello');
  });
});
