import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toLine } from '@klaus/sdk/printable';
import type { App } from '../app/app.ts';
import { openAttention, openNext, openRewind, openSessions } from '../app/pickers.ts';
import { openAgents, switchAgent } from '../app/switch-agent.ts';
import type { TerminalCommand } from './command.ts';

async function startNew(app: App): Promise<void> {
  await app.link.detach();
  app.note('The next prompt starts a new session.');
}

/** Commands that choose, copy or name a session. */
export const SESSION_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'new',
    summary: 'start a new session with the next prompt',
    run: startNew,
  },
  {
    name: 'clear',
    summary: 'the same as /new',
    run: startNew,
  },
  {
    name: 'agent',
    argument: '[NAME]',
    summary: 'continue with another agent, or with klaus',
    run: (app, name) => (name === '' ? openAgents(app) : switchAgent(app, name)),
  },
  {
    name: 'agents',
    summary: 'list the agents, and choose one',
    run: (app) => openAgents(app),
  },
  {
    name: 'sessions',
    argument: '[WORDS]',
    summary: 'choose another session of this project',
    run: (app, words) => openSessions(app, words),
  },
  {
    name: 'attention',
    summary: 'choose what needs you, of all sessions',
    run: (app) => openAttention(app),
  },
  {
    name: 'next',
    summary: 'show the session that has needed you for the longest time',
    run: (app) => openNext(app),
  },
  {
    name: 'resume',
    argument: '[ID]',
    summary: 'continue an interrupted run, or another session',
    async run(app, id) {
      if (id !== '') return await app.link.attach((await app.client.session(id)).id);
      if (app.link.id === undefined) return await openSessions(app);
      return await app.link.resume();
    },
  },
  {
    name: 'fork',
    summary: 'continue in a copy of the session',
    async run(app) {
      const fork = await app.client.fork(await app.link.ensure());
      await app.link.attach(fork);
      app.note(`The chat continues in session ${fork}.`, 'ok');
    },
  },
  {
    name: 'rewind',
    summary: 'return to before a message: conversation, files or both',
    run: (app) => openRewind(app),
  },
  {
    name: 'title',
    argument: 'TEXT',
    summary: 'name the session',
    async run(app, title) {
      if (title === '') return app.note('`/title TEXT` names the session.');
      await app.link.ensure();
      await app.link.change({ title });
      return app.note(`The session is named ${toLine(title, 200)}.`, 'ok');
    },
  },
  {
    name: 'export',
    argument: '[FILE]',
    summary: 'write the session as Markdown',
    async run(app, file) {
      const id = await app.link.ensure();
      const path = resolve(app.options.folder, file || `klaus-${id}.md`);
      const pieces = await app.client.export(id, 'md');
      let text = '';
      for await (const piece of pieces) text += piece;
      await writeFile(path, text, { flag: 'wx', mode: 0o600 });
      app.note(`Written to ${path}`, 'ok');
    },
  },
  {
    name: 'quit',
    summary: 'leave, as Ctrl-D does',
    run: (app) => app.leave(),
  },
];
