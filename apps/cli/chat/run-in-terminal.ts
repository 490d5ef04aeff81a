import { randomBytes } from 'node:crypto';
import { toHome } from '@klaus/sdk/home';
import { toUlid } from '@klaus/sdk/ulid';
import { VERSION } from '@klaus/sdk/version';
import { runTerminal } from '@klaus/terminal';
import { openClient } from '../client/open-client.ts';
import { toFolder } from '../client/open-klaus.ts';
import { toOrigin } from '../instance/origin.ts';
import { beginChat, toTerminalStart } from './begin-chat.ts';
import type { ChatCommandOptions } from './chat-options.ts';
import { openEditor } from '../prompt/editor.ts';
import { toLimits, toSettings } from '../program/run-options.ts';
import { isOtherMachine } from '../program/options.ts';

export interface InTerminalOptions {
  /** Name of the agent; undefined: Klaus itself. */
  name: string | undefined;
  /** True for a start without any argument. */
  isStart: boolean;
  options: ChatCommandOptions;
  /** Id of the session to show. Default: the chat that the agent continues. */
  session?: string;
}

/** Runs a chat in the interactive terminal. Returns the exit code. */
export async function runInTerminal({ name, isStart, options, session }: InTerminalOptions): Promise<number> {
  const { cwd, root } = options;
  const folder = cwd === undefined ? process.cwd() : toFolder(cwd);
  const instance = isOtherMachine(options) ? undefined : toUlid(Date.now(), randomBytes(10));
  const { startedBy } = toOrigin(process.env);
  return await runTerminal({
    home: toHome(process.env, process.cwd()),
    folder,
    prompt: options.prompt ?? '',
    version: VERSION,
    // Named in a function, so that the bundle loads it, and the engine with it, when it is first used.
    editFile: (file) => openEditor(file),
    openClient: (onNotice) => openClient(options, { cwd, settings: toSettings(options), onNotice }),
    ...(instance === undefined
      ? {}
      : {
          async openInstance(terminal) {
            const { openTerminalInstance } = await import('../instance/terminal-instance.ts');
            return await openTerminalInstance({ ...terminal, id: instance, folder });
          },
        }),
    async begin(client, chosen) {
      if (chosen !== undefined) {
        // The options of the command line are those of new sessions then.
        const given = { cwd, root, history: options.history };
        return toTerminalStart(await beginChat(client, { name: chosen, options: given }), {});
      }
      if (session !== undefined) return { agent: name, keepsHistory: true, session, change: {}, notes: [] };
      const start = toTerminalStart(await beginChat(client, { name, isStart, options }), {
        model: options.model,
        limits: toLimits(options),
      });
      return client.warning === undefined ? start : { ...start, notes: [client.warning, ...start.notes] };
    },
    toRequest: async (_, { agent, keepsHistory }) => ({
      agent,
      chat: keepsHistory,
      attended: true,
      onAsk: 'wait',
      model: options.model,
      fallback: options.fallback,
      effort: options.effort,
      temperature: options.temperature,
      mode: options.approve,
      limits: toLimits(options),
      waitForModelMs: options.waitForModel,
      workspace: cwd,
      root,
      allowAnyWorkspace: options.allowAnyWorkspace,
      sandbox: options.sandbox,
      isolate: options.isolate,
      grant: options.grant,
      allowNet: options.allowNet,
      workers: options.worker,
      instance,
      startedBy,
    }),
  });
}
