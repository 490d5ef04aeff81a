import type { CommandGroup } from '../../program/cli-command.ts';
import { deleteAgent } from './delete.ts';
import { edit } from './edit.ts';
import { grants } from './grants.ts';
import { list } from './list.ts';
import { create } from './new.ts';
import { show } from './show.ts';
import { trust } from './trust.ts';
import { exportAgent, importAgent } from './transfer.ts';

export const command: CommandGroup = {
  name: 'agents',
  summary: 'list, create and change agents',
  examples: ['klaus agents', 'klaus agents new --from reviewer', 'klaus agents grants reviewer'],
  description:
    'An agent is a description, a system prompt and the authority that it requests, in a Markdown file. klaus run --agent NAME starts a session as an agent.',
  footer:
    'klaus --list, --export NAME, --import FILE and --delete NAME are other spellings of list, export, import and delete.',
  commands: [list, show, create, edit, grants, trust, exportAgent, importAgent, deleteAgent],
};
