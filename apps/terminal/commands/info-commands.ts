import { toPrintable, toLine } from '@klaus/sdk/printable';
import { formatCount, formatNumber, formatCost } from '@klaus/sdk/transcript';
import { openLinesView } from '../app/full-views.ts';
import { KEY_ACTIONS } from '../app/key-actions.ts';
import type { App } from '../app/app.ts';
import type { TerminalCommand } from './command.ts';
import { readMcpPrompts } from './mcp-prompts.ts';
import { runProgram } from './run-program.ts';
import { showGrant } from './show-grant.ts';
import { wrap } from '../view/wrap.ts';

/** Commands that show something. */
export const INFO_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'help',
    summary: 'list commands and keys',
    async run(app) {
      const prompts = await readMcpPrompts(app).catch(() => []);
      const commands = [...app.commands(), ...prompts].map(
        ({ name, argument, summary }) => [`/${name}${argument ? ` ${argument}` : ''}`, summary] as const,
      );
      const keys = [...INPUT_KEYS, ...KEY_ACTIONS.map(({ name, summary }) => [name, summary] as const)];
      const { strong } = app.style.palette;
      openLinesView(app, 'Help', (width) => [
        strong('Keys'),
        ...toRows(app, keys, width),
        '',
        strong('Commands'),
        ...toRows(app, commands, width),
      ]);
    },
  },
  {
    name: 'cost',
    summary: 'show what the session has cost',
    async run(app) {
      if (app.link.id === undefined) return app.note('Nothing was charged yet.');
      const { rows } = await app.client.usage({ session: app.link.id });
      for (const row of rows) {
        const input = row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens;
        app.note(
          `${row.key}: ${formatNumber(row.requests, 'request')}, ${formatCount(input)} tokens in (${formatCount(row.cacheReadTokens)} from cache), ${formatCount(row.outputTokens)} out, ${formatCost(row.usd, row.heldUsd)}`,
        );
      }
      if (rows.length === 0) app.note('Nothing was charged yet.');
    },
  },
  {
    name: 'context',
    summary: 'show how much of the context window is used',
    run(app) {
      const { contextTokens, contextWindow, entries } = app.link.view.conversation;
      if (contextWindow === 0) return app.note('The context is empty.');
      const share = Math.round((contextTokens / contextWindow) * 100);
      app.note(
        `${formatCount(contextTokens)} of ${formatCount(contextWindow)} tokens (${share} %), ${formatCount(entries.length)} messages and calls.`,
      );
    },
  },
  {
    name: 'capabilities',
    summary: 'show what the session may do',
    run: async (app) => showGrant(app, await app.link.ensure()),
  },
  {
    name: 'tools',
    summary: 'list the tools that the model can call',
    async run(app) {
      const { tools, deferred } = await app.client.chatState(await app.link.ensure());
      if (tools.length === 0) return app.note('No tools: this agent can only chat.');
      app.note(`Tools: ${tools.join(', ')}`);
      if (deferred.length > 0) app.note(`Found by tool_search: ${deferred.join(', ')}`);
    },
  },
  {
    name: 'memory',
    summary: 'list what is remembered about this project',
    run: (app) => runProgram(app, 'Memory', ['memory', 'list']),
  },
  {
    name: 'processes',
    summary: 'list the background processes of the session',
    async run(app) {
      const processes = app.link.id === undefined ? [] : await app.client.processes(app.link.id);
      for (const { id, state, command } of processes) app.note(`${id} ${state}: ${toLine(command, 200)}`);
      if (processes.length === 0) app.note('No background process was started.');
    },
  },
  {
    name: 'doctor',
    summary: 'check the installation',
    run: (app) => runProgram(app, 'Doctor', ['doctor']),
  },
  {
    name: 'bug',
    summary: 'show what a report of a defect needs',
    run(app) {
      const { version } = app.options;
      app.note(
        `Klaus ${version}, Node ${process.version}, ${process.platform} ${process.arch}, TERM ${process.env['TERM'] ?? ''}`,
      );
      const { id } = app.link;
      if (id !== undefined)
        app.note(
          `\`klaus export ${id} --as test\` writes this session as a test that repeats it; read it before you share it.`,
        );
    },
  },
];

/** Keys that belong to the input. */
const INPUT_KEYS = [
  ['Enter', 'send; during a run: the model reads it with its next request'],
  ['Shift-Enter, Ctrl-J', 'new line; \\ at the end of a line does the same'],
  ['/', 'complete a command'],
  ['@', 'complete the name of a file'],
  ['!', 'run a command in the sandbox and add its output'],
  ['#', 'remember a note about this project'],
  ['Ctrl-A Ctrl-E Alt-B Alt-F', 'move by line and by word'],
  ['Ctrl-W Ctrl-U Ctrl-K', 'delete a word, to the start, to the end'],
  ['Ctrl-_', 'undo'],
  ['↑ ↓', 'earlier and later prompts'],
] as const;

/** Columns of names; the text of a longer one begins in the row below. */
const MAX_NAME = 30;

function toRows(app: App, rows: readonly (readonly [string, string])[], width: number): string[] {
  const { accent } = app.style.palette;
  const column = Math.min(MAX_NAME, Math.floor(width / 3), Math.max(...rows.map(([name]) => name.length)));
  const rest = ' '.repeat(column + 4);
  return rows.flatMap(([name, summary]) => {
    const first = `  ${accent(name.padEnd(column))}  `;
    if (name.length <= column) return wrap(toPrintable(summary), width, { first, rest, indent: rest.length });
    return [`  ${accent(name)}`, ...wrap(toPrintable(summary), width, { first: rest, indent: rest.length })];
  });
}
