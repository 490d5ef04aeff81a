import { createSandbox, type CreateSandboxOptions } from '@klaus/adapters/sandboxes';

/** Runs a command in a sandbox until it is killed. */
const options = JSON.parse(process.argv[2]!) as CreateSandboxOptions;
const sandbox = await createSandbox(options);
await sandbox.exec({ command: 'echo on; sleep 4715', onOutput: (chunk) => process.stdout.write(chunk) });
