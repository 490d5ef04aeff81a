import type { KnowledgeEntry } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import type { Command } from 'commander';
import { openKlaus } from '../../client/open-klaus.ts';
import { printRows } from '../../output/table.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { CommandGroup, LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { RAW_OPTION } from '../../program/run-options.ts';

interface NoteOptions extends Options {
  global?: true;
  category?: string;
}

function addScope(command: Command): Command {
  return command.option('--global', 'for all projects');
}

function addFolder(command: Command): Command {
  return command.option('--cwd <folder>', 'the project (default: this folder)');
}

const list: LeafCommand = {
  name: 'list',
  summary: 'list the notes, the latest first',
  examples: ['klaus memory list'],
  server: 'local',
  declare: (declared) =>
    addFolder(
      addScope(declared.option('--category <name>', 'only this category')).option('--json', 'one object per line'),
    ),
  async run({ cwd, global, category, json }: NoteOptions) {
    await using klaus = await openKlaus({ cwd });
    const scope = global ? 'global' : undefined;
    print(await klaus.memory().list({ category, scope, limit: Number.MAX_SAFE_INTEGER }), json);
  },
};

const search: LeafCommand = {
  name: 'search',
  summary: 'find notes by words',
  examples: ['klaus memory search release'],
  server: 'local',
  declare: (declared) =>
    addFolder(
      declared.argument('<words...>', 'the beginning of a word is enough').option('--json', 'one object per line'),
    ),
  async run(words: readonly string[], { cwd, json }: NoteOptions) {
    await using klaus = await openKlaus({ cwd });
    print(await klaus.memory().search(words.join(' '), { limit: 100 }), json);
  },
};

const get: LeafCommand = {
  name: 'get',
  summary: 'print one note',
  examples: ['klaus memory get deploy'],
  server: 'local',
  declare: (declared) => addFolder(addScope(declared.argument('<key>', 'its name'))).option('--raw', RAW_OPTION),
  async run(key: string, { cwd, global, raw }: NoteOptions) {
    await using klaus = await openKlaus({ cwd });
    const entry = await klaus.memory().get(key, global ? 'global' : undefined);
    if (!entry) throw toMissing(key);
    if (raw) out.raw(`${entry.value}\n`);
    else out.write(`${out.isTTY ? toPrintable(entry.value) : entry.value}\n`);
  },
};

const set: LeafCommand = {
  name: 'set',
  summary: 'store a note',
  examples: ['klaus memory set deploy "make deploy, after the tests"'],
  server: 'local',
  declare: (declared) =>
    addFolder(
      addScope(
        declared
          .argument('<key>', 'its name')
          .argument('<value>', 'the note')
          .option('--category <name>', 'the category; pinned notes come first'),
      ),
    ),
  async run(key: string, value: string, { cwd, global, category }: NoteOptions) {
    await using klaus = await openKlaus({ cwd });
    const scope = global ? 'global' : 'project';
    const entry = await klaus.memory().set({ key, value, category, scope });
    if (entry.value !== value.trim()) err.write('klaus: a secret was removed from the note\n');
  },
};

const remove: LeafCommand = {
  name: 'delete',
  summary: 'delete a note',
  examples: ['klaus memory delete deploy'],
  server: 'local',
  declare: (declared) => addFolder(addScope(declared.argument('<key>', 'its name'))),
  async run(key: string, { cwd, global }: NoteOptions) {
    await using klaus = await openKlaus({ cwd });
    if (!(await klaus.memory().remove(key, global ? 'global' : 'project'))) throw toMissing(key);
  },
};

function toMissing(key: string): UsageError {
  return new UsageError(`There is no note ${key}.`, '`klaus memory list` lists the notes.');
}

function print(entries: readonly KnowledgeEntry[], json: true | undefined): void {
  printRows(entries, {
    json,
    head: ['KEY', 'CATEGORY', 'SCOPE', 'BY', 'CHANGED', 'NOTE'],
    toRow: ({ key, category, scope, session, updatedAt, value }) => [
      key,
      category,
      scope,
      session ?? 'user',
      new Date(updatedAt).toISOString().slice(0, 10),
      value,
    ],
    empty: 'There are no notes. Store one with `klaus memory set KEY VALUE`.',
  });
}

export const command: CommandGroup = {
  name: 'memory',
  summary: 'show and change the notes about a project',
  examples: ['klaus memory set tests "npm test -- --run; never the watch mode" --category pinned'],
  description:
    'The notes of sessions and users about a project. They are in the context of every new session of the project, those of the category "pinned" first.',

  commands: [list, search, get, set, remove],
};
