import type { CommandGroup } from '../../program/cli-command.ts';
import { gc } from './gc.ts';
import { move } from './move.ts';
import { projects } from './projects.ts';
import { repair } from './repair.ts';
import { retry } from './retry.ts';
import { sessions, stuck } from './sessions.ts';
import { workspace } from './workspace.ts';
import { drain, workers } from './workers.ts';

export const command: CommandGroup = {
  name: 'admin',
  summary: 'administer the cluster that the settings name',
  examples: ['klaus admin sessions', 'klaus admin workers'],
  description:
    'Shows and changes what the workers of a cluster do. The settings `cluster.*` name the cluster; every person with its Postgres URL is an administrator.',
  commands: [sessions, stuck, projects, workers, drain, move, retry, repair, workspace, gc],
};
