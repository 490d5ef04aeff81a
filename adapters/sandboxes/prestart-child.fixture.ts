// Prestarts a sandbox and waits, for a test that kills this process.
// Arguments: workspace, state folder, a mark for its processes.
import { createSandbox } from './index.ts';

const [workspace, home, mark] = process.argv.slice(2);
const sandbox = await createSandbox({ choice: 'bubblewrap', workspace: workspace!, home: home! });
await sandbox.prestart!({ env: { MARK: mark! } });
process.stdout.write('made\n');
setInterval(() => {}, 60_000);
