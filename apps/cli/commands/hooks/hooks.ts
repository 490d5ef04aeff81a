import type { CommandGroup } from '../../program/cli-command.ts';
import { list } from './list.ts';
import { test } from './test.ts';

export const command: CommandGroup = {
  name: 'hooks',
  summary: 'list and test hooks',
  examples: ['klaus hooks', 'klaus hooks test run_command \'{"command": "npm test"}\''],
  description:
    'Hooks are commands and URLs of the setting `hooks` that get events of a session, and can narrow what it may do.',
  commands: [list, test],
};
