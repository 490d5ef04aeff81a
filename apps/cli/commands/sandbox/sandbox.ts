import type { CommandGroup } from '../../program/cli-command.ts';
import { build } from './build.ts';
import { list } from './list.ts';
import { prune } from './prune.ts';
import { run } from './run.ts';

export const command: CommandGroup = {
  name: 'sandbox',
  summary: 'build the image of the Docker sandbox, list sandboxes, and try one',
  examples: ['klaus sandbox ps', 'klaus sandbox run "npm --version"'],
  description: 'Sandboxes are where the commands of an agent run: docs/docker.md. klaus doctor checks the drivers.',
  commands: [build, list, prune, run],
};
