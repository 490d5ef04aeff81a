/**
 * vitest runs this file before each test file of a process that runs several ones. It restores what belongs to the process, so
 * that no file depends on those before it.
 */
const KEY = Symbol.for('klaus.test.process');

interface ProcessState {
  env: NodeJS.ProcessEnv;
  cwd: string;
}

const holder = globalThis as { [KEY]?: ProcessState };
const state = (holder[KEY] ??= { env: { ...process.env }, cwd: process.cwd() });
for (const name of Object.keys(process.env)) if (!(name in state.env)) delete process.env[name];
Object.assign(process.env, state.env);
process.chdir(state.cwd);
