import { randomBytes } from 'node:crypto';
import { toHome } from '@klaus/sdk/home';
import { toPrintable } from '@klaus/sdk/printable';
import { toUlid } from '@klaus/sdk/ulid';
import { VERSION } from '@klaus/sdk/version';
import { runTerminal } from '@klaus/terminal';
import { chooseSessionIds, openStates } from '../client/session-states.ts';
import { openDaemonClient } from '../daemon/open-daemon-client.ts';
import { beginChat, toTerminalStart } from './begin-chat.ts';
import { isOtherMachine, type Options, toGivenServer } from '../program/options.ts';
import { openEditor } from '../prompt/editor.ts';

/**
 * Opens the interactive terminal on a session of the daemon, or of the server that the options name.
 *
 * @param given Its id, the beginning of it, or its title. Default: the latest session of this folder.
 * @returns The exit code.
 */
export async function attachTerminal(given: string | undefined, options: Options): Promise<number> {
  let named = given;
  // A wrong id is reported before the terminal is changed.
  if (toGivenServer(options) === undefined) {
    using states = await openStates();
    [named] = await chooseSessionIds(states, given === undefined ? [] : [given]);
  }
  const instance = isOtherMachine(options) ? undefined : toUlid(Date.now(), randomBytes(10));
  /** Of the session. */
  let workspace: string | undefined;
  return await runTerminal({
    home: toHome(process.env, process.cwd()),
    folder: process.cwd(),
    prompt: '',
    version: VERSION,
    editFile: (file) => openEditor(file),
    openClient: (onNotice) => openDaemonClient(options, onNotice),
    ...(instance === undefined
      ? {}
      : {
          async openInstance(terminal) {
            const { openAttachedInstance } = await import('../instance/terminal-instance.ts');
            return await openAttachedInstance({ ...terminal, id: instance });
          },
        }),
    async begin(client, chosen) {
      if (chosen !== undefined) {
        const options = { cwd: workspace, history: true };
        return toTerminalStart(await beginChat(client, { name: chosen, options }), {});
      }
      const { id, title } = await (named === undefined ? client.latest({}) : client.session(named));
      const note = `Session ${id}${title ? `, ${toPrintable(title)}` : ''}. Leaving does not stop its run.`;
      ({ workspace } = await client.chatState(id));
      return { agent: undefined, keepsHistory: true, session: id, change: {}, notes: [note] };
    },
    // Of a session that is opened later in this terminal.
    toRequest: async (_, { agent }) => ({ agent, chat: true, onAsk: 'wait', workspace, instance }),
  });
}
