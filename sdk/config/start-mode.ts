import type { Store, StoreQueries } from '@klaus/core/agent';
import { type HostEventOf, type Mode, toNarrowerMode } from '@klaus/core/protocol';
import type { Configuration } from './configuration.ts';

/** The approval mode with which a session of a user begins. */
export interface StartMode {
  mode: Mode;
  /** When the user chose it, in Unix milliseconds. Undefined: it is that of the settings. */
  chosenAt: number | undefined;
}

export interface ModeQueries {
  /**
   * The approval mode of a new session that a user opens: the one that the user chose last. An option or a variable of
   * this process, and a later change of the user's own setting `approve`, are stronger; a project file narrows it.
   *
   * @param query.workspace Default: the configured one.
   * @param query.person Who signed in. Default: the user who runs Klaus.
   */
  startMode(query?: { workspace?: string; person?: string }): Promise<StartMode>;
  /** Records the choice of a user. @param options.by The door. */
  chooseMode(mode: Mode, options: { by: string; person?: string }): Promise<void>;
}

interface ModeInput {
  store: Pick<StoreQueries, 'lastHostEvent'> & Pick<Store, 'appendHost'>;
  /** The settings, of a workspace if it is given. */
  read: (workspace: string | undefined) => Promise<Configuration>;
}

export function createModeQueries({ store, read }: ModeInput): ModeQueries {
  return {
    async startMode({ workspace, person = '' } = {}) {
      return toStartMode(await read(workspace), await store.lastHostEvent('mode.chosen', person));
    },
    async chooseMode(mode, { by, person = '' }) {
      const configuration = await read(undefined);
      const setting = isOwn(configuration) ? configuration.get('approve') : undefined;
      await store.appendHost({ type: 'mode.chosen', mode, setting, person, by });
    },
  };
}

export function toStartMode(
  configuration: Configuration,
  chosen: Pick<HostEventOf<'mode.chosen'>, 'mode' | 'setting' | 'at'> | undefined,
): StartMode {
  const setting = configuration.get('approve');
  const { source } = configuration.sources.approve;
  if (chosen && source === 'project file') return { mode: toNarrowerMode(chosen.mode, setting), chosenAt: chosen.at };
  const isVoid = chosen?.setting !== undefined && chosen.setting !== setting;
  if (!chosen || isVoid || !isOwn(configuration)) return { mode: setting, chosenAt: undefined };
  return { mode: chosen.mode, chosenAt: chosen.at };
}

/** True if the user's own files, or nothing, set the mode. */
function isOwn({ sources }: Configuration): boolean {
  return ['default', 'user file', 'home .env'].includes(sources.approve.source);
}
