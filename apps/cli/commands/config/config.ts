import type { CommandGroup } from '../../program/cli-command.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { path } from './path.ts';
import { set, unset } from './set.ts';

export const command: CommandGroup = {
  name: 'config',
  summary: 'show and change settings',
  examples: ['klaus config set approve ask'],
  description: 'Shows and changes settings: docs/reference/config.md. Without a command, it prints all of them.',

  commands: [list, get, set, unset, path],
};
