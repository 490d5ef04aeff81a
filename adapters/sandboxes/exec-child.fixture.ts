// Runs one command in a sandbox until it is killed: the Klaus of the tests that end Klaus.
// Arguments: driver, workspace, state folder, command, image.
import { createSandbox } from './index.ts';
import type { CreateSandboxOptions } from './index.ts';

const [choice, workspace, home, command, image] = process.argv.slice(2);
const sandbox = await createSandbox({
  choice: choice as NonNullable<CreateSandboxOptions['choice']>,
  workspace: workspace!,
  home: home!,
  ...(image ? { image } : {}),
});
const running = sandbox.exec({ command: command! });
process.stdout.write('started\n');
await running;
