// Runs commands in a sandbox, for tests that kill this process.
// Arguments: driver, workspace, state folder, command, number of commands, image.
import { createSandbox } from './index.ts';
import type { CreateSandboxOptions } from './index.ts';

const [choice, workspace, home, command, count, image] = process.argv.slice(2);
const sandbox = await createSandbox({
  choice: choice as NonNullable<CreateSandboxOptions['choice']>,
  workspace: workspace!,
  home: home!,
  ...(image ? { image } : {}),
});
process.stdout.write('started\n');
const running: Promise<unknown>[] = [];
for (let index = 0; index < Number(count); index++) {
  running.push(sandbox.exec({ command: command! }));
  // Start them at short intervals, so that the kill happens at different moments of their start.
  for (let turn = 0; turn < 300; turn++) await new Promise(setImmediate);
}
await Promise.all(running);
