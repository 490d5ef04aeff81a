import type { Effort, Mode } from '@klaus/sdk';
import { messageOf } from '@klaus/sdk/message-of';
import { isKlausError } from '../app/klaus-error.ts';
import { modeChoices } from './mode-choices.ts';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { formatCount } from '@klaus/sdk/transcript';
import type { ClientModel } from '@klaus/sdk/client';
import type { App } from '../app/app.ts';
import { choose } from '../app/pickers.ts';
import { KEYMAPS, NOTIFICATIONS, type Preferences, STATUS_ITEMS, type StatusItem } from '../preferences.ts';
import { THEMES, type Theme } from '../style/palette.ts';
import type { TerminalCommand } from './command.ts';
import { showGrant } from './show-grant.ts';

/** The compiler requires all of them. */
const EFFORTS = Object.keys({ low: 1, medium: 1, high: 1, max: 1 } satisfies Record<Effort, 1>) as Effort[];

/** Commands that change the session or the terminal. */
export const SETTING_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'model',
    argument: '[NAME]',
    summary: 'choose the model',
    async run(app, name) {
      const models = [...((await app.client.localModels?.()) ?? []), ...(await app.client.models())];
      const take = (model: string): void | Promise<void> => takeModel(app, model, models);
      if (name !== '') return await take(name);
      const usable = models.filter((model) => model.usable);
      return choose(app, {
        title: `Model (now ${app.link.model || 'the default'}):`,
        choices: (usable.length > 0 ? usable : models).map((model) => ({
          value: model.name,
          label: model.name,
          detail: [
            model.tier ?? '',
            model.contextWindow === 0 ? 'on this machine' : `${formatCount(model.contextWindow)} tokens`,
            model.usable ? '' : 'no key is set',
          ]
            .filter((text) => text !== '')
            .join(' · '),
        })),
        onChoose: (model) => app.do(async () => take(model)),
      });
    },
  },
  {
    name: 'login',
    argument: '[PROVIDER]',
    summary: 'set up a model: a key, a server, or a model on this machine',
    async run(app, provider) {
      if (app.client.server !== undefined)
        return app.note(`The models are those of ${app.client.server}: its page sets them up, in Settings.`, 'warn');
      const exitCode = await app.lent.run(['login', ...(provider === '' ? [] : [provider])]);
      if (exitCode === 0) app.note('The next prompt uses it.', 'ok');
      return undefined;
    },
  },
  {
    name: 'fetch',
    summary: 'download the dependencies of the project',
    async run(app) {
      if (app.client.server !== undefined)
        return app.note(`The folder is on ${app.client.server}: klaus fetch runs there.`, 'warn');
      // The terminal does nothing else until it ends.
      if (app.link.isWorking) return app.note('The session works: /fetch is for the time after its run.', 'warn');
      const exitCode = await app.lent.run(['fetch']);
      if (exitCode === 0) app.note('The dependencies are there.', 'ok');
      return undefined;
    },
  },
  {
    name: 'effort',
    argument: `[${EFFORTS.join('|')}]`,
    summary: 'choose how much the model reasons',
    async run(app, name) {
      const given = EFFORTS.find((effort) => effort === name);
      if (given) return await app.link.change({ effort: given });
      return choose<Effort>(app, {
        title: `Effort (now ${app.link.view.conversation.effort ?? 'that of the model'}):`,
        choices: EFFORTS.map((effort) => ({ value: effort, label: effort })),
        onChoose: (effort) => app.do(() => app.link.change({ effort })),
      });
    },
  },
  {
    name: 'mode',
    argument: '[plan|ask|edits|auto]',
    summary: 'choose how much runs without an approval',
    async run(app, mode) {
      const given = modeChoices.find(({ value }) => value === mode);
      const take = async (value: Mode): Promise<void> => {
        await app.link.chooseMode(value);
        app.note(`Mode ${value}: ${modeChoices.find((choice) => choice.value === value)!.detail}.`, 'ok');
      };
      if (given) return await take(given.value);
      return choose(app, {
        title: `Approval mode (now ${app.link.mode}):`,
        choices: modeChoices,
        onChoose: (value) => app.do(() => take(value)),
      });
    },
  },
  {
    name: 'permissions',
    summary: 'show what the session may do, and revoke approvals',
    async run(app) {
      const session = await app.link.ensure();
      await showGrant(app, session);
      const remembered = await app.client.remembered();
      const given = (await app.client.givenApprovals(session)).filter(({ scope }) => scope === 'session');
      const all = [...given, ...remembered];
      if (all.length === 0) return;
      choose(app, {
        title: 'Approvals for this session, and remembered ones. Enter revokes one:',
        choices: all.map((row) => ({
          value: row,
          label: toLine(
            `${row.remembered.tool} ${row.remembered.command ?? row.remembered.paths?.join(', ') ?? ''}`,
            200,
          ),
          detail: 'scope' in row ? 'this session' : row.workspace,
        })),
        onChoose: (row) =>
          app.do(async () => {
            if ('scope' in row) await app.client.changeApproval(session, row.approval, 'once');
            else await app.client.forget(row.approval);
          }),
      });
    },
  },
  {
    name: 'theme',
    argument: `[${THEMES.join('|')}]`,
    summary: 'choose the colours',
    run(app, name) {
      const set = (theme: Theme): void => {
        app.style.setTheme(theme);
        app.screen.requestRender();
      };
      const given = THEMES.find((theme) => theme === name);
      if (given) {
        set(given);
        return app.savePreferences({ theme: given });
      }
      return choose<Theme>(app, {
        title: 'Theme:',
        choices: THEMES.map((theme) => ({ value: theme, label: theme, detail: DETAILS[theme] })),
        selected: THEMES.indexOf(app.style.theme),
        onSelect: set,
        onChoose(theme) {
          set(theme);
          app.savePreferences({ theme });
        },
      });
    },
  },
  {
    name: 'keys',
    argument: `[${KEYMAPS.join('|')}]`,
    summary: 'choose the keys of the input',
    run(app, name) {
      const given = KEYMAPS.find((keys) => keys === name);
      if (!given)
        return app.note(
          `The input has the keys of ${app.preferences.keys}. /keys ${KEYMAPS.join(' or /keys ')} changes them; /help lists all keys.`,
        );
      app.savePreferences({ keys: given });
      return app.note(`The input has the keys of ${given}.`, 'ok');
    },
  },
  {
    name: 'notify',
    argument: `[${NOTIFICATIONS.join('|')}]`,
    summary: 'choose how you are notified while the terminal is not in front',
    run(app, name) {
      const set = (notify: Preferences['notify']): void => {
        app.savePreferences({ notify });
        app.note(`While the terminal is not in front, Klaus ${NOTIFICATION_DETAILS[notify]}.`, 'ok');
      };
      const given = NOTIFICATIONS.find((notify) => notify === name);
      if (given) return set(given);
      return choose<Preferences['notify']>(app, {
        title: 'Notifications while the terminal is not in front:',
        choices: NOTIFICATIONS.map((notify) => ({
          value: notify,
          label: notify,
          detail: NOTIFICATION_DETAILS[notify],
        })),
        selected: NOTIFICATIONS.indexOf(app.preferences.notify),
        onChoose: set,
      });
    },
  },
  {
    name: 'status',
    argument: '[ITEMS]',
    summary: 'choose what the status line shows',
    run(app, text) {
      const words = toPrintable(text).split(/[\s,]+/);
      const items = words.filter((word): word is StatusItem => STATUS_ITEMS.some((item) => item === word));
      if (text === '' || items.length === 0)
        return app.note(`The status line shows ${app.preferences.status.join(' ')}. Items: ${STATUS_ITEMS.join(' ')}`);
      return app.savePreferences({ status: items });
    },
  },
];

const DETAILS: Readonly<Record<Theme, string>> = {
  dark: 'for a dark background',
  light: 'for a light background',
  '16': 'the 16 colours of the terminal',
  none: 'no colours',
};

const NOTIFICATION_DETAILS: Readonly<Record<Preferences['notify'], string>> = {
  desktop: 'rings the bell and sends a desktop notification',
  bell: 'rings the bell',
  off: 'does not notify you',
};

/** @throws KlausError as of `SessionLink.change`. */
async function changeModel(app: App, model: string, models: readonly ClientModel[]): Promise<void> {
  try {
    await app.link.change({ model });
  } catch (error) {
    const usable = models.filter((one) => one.usable).map(({ name }) => name);
    if (!isKlausError(error) || error.code !== 'model.unknown' || usable.length === 0) throw error;
    const more = usable.length > MAX_NAMED ? ` and ${usable.length - MAX_NAMED} more` : '';
    const names = toLine(usable.slice(0, MAX_NAMED).join(', '), 400);
    app.note(`${toLine(messageOf(error), 200)} There are ${names}${more}. /model lists them.`, 'bad');
  }
}

/** Models that an error names. */
const MAX_NAMED = 5;

/** Changes the model. Before the first use of a program on this machine, the user is asked. */
function takeModel(app: App, model: string, models: readonly ClientModel[]): void | Promise<void> {
  const asks = models.find(({ name }) => name === model)?.asks;
  if (asks === undefined) return changeModel(app, model, models);
  return choose(app, {
    title: `Send the texts of sessions to ${toLine(asks, 500)}?`,
    choices: [
      { value: true, label: 'yes' },
      { value: false, label: 'no' },
    ],
    onChoose: (isAllowed) =>
      app.do(async () => {
        if (!isAllowed) return;
        await app.client.allowModel?.(model);
        await app.link.change({ model });
      }),
  });
}
