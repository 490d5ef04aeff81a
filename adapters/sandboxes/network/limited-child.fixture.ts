// Prints the output of a command with a limited network. Arguments: workspace, state folder, host, command.
import { createSandbox } from '../create-sandbox.ts';

const [workspace = '', home = '', host = '', command = ''] = process.argv.slice(2);
const options = { workspace, home, env: process.env, variables: ['PORT'] };
const sandbox = await createSandbox({ ...options, choice: 'bubblewrap', hosts: [host] });
const { output } = await sandbox.exec({ command, network: true });
process.stdout.write(output);
