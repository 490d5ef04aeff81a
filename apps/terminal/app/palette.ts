import { toLine } from '@klaus/sdk/printable';
import type { Choice } from '../dialogs/choice-dialog.ts';
import type { App } from './app.ts';
import { choose, toSessionChoice } from './pickers.ts';

/** Sessions of the palette. */
const MAX_SESSIONS = 5;

/** The longest palette has rows for headings too. */
const HEADINGS = 2;

/**
 * Everything that can be chosen, in groups: the recent sessions, the commands, the agents and the models. What is chosen is
 * done by the command that does it.
 */
export async function openPalette(app: App): Promise<void> {
  if (!app.isReady) return;
  const here = app.client.server === undefined;
  const [sessions, agents, models] = await Promise.all([
    app.client.sessions({ limit: MAX_SESSIONS + 1, here }),
    app.client.agents(),
    app.client.models(),
  ]);
  const toChoice = (group: string, line: string, [name, detail]: readonly [string, string]): Choice<string> => ({
    ...{ group, value: line, label: name, detail: toLine(detail, 200) },
  });
  const usable = models.filter((model) => model.usable);
  const others = sessions.filter(({ id }) => id !== app.link.id).slice(0, MAX_SESSIONS);
  const choices = [
    ...others.map((row) => ({ ...toSessionChoice(row), group: 'Recent sessions', value: `/resume ${row.id}` })),
    ...app.commands().map(({ name, argument = '', summary }) => {
      // A command that needs a text is written into the input.
      const isComplete = argument === '' || argument.startsWith('[');
      return toChoice('Commands', isComplete ? `/${name}` : `/${name} `, [`/${name}`, summary]);
    }),
    ...agents.map(({ name, description }) => toChoice('Agents', `/agent ${name}`, [name, description])),
    ...usable.map(({ name, tier }) => toChoice('Models', `/model ${name}`, [name, tier ?? ''])),
  ];
  choose(app, {
    title: 'Go to',
    rows: Math.max(3, Math.min(12, app.screen.terminal.rows - 8) - HEADINGS),
    choices,
    onChoose(line) {
      if (line.endsWith(' ')) app.composer.setText(line);
      else app.call(line);
    },
  });
}
