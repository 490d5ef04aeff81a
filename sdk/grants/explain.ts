import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { createState, explainCall, fold, loadState, toSystemPrompt, type Engine, type State } from '@klaus/core/agent';
import { toAuthorityText, toGrantText, toNeedsText } from '@klaus/core/policy';
import { EVENT_VERSION, FIRST_PREV } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { VERSION } from '../version.ts';
import { fromCallText, type GivenCall } from './call-text.ts';
import type { ExplainOptions, Explanation } from './explanation.ts';
import { resolveSessionGrant } from '../open/resolve-session-grant.ts';
import type { GivenGrant } from './opening-grant.ts';

export interface Explaining {
  engine: Engine;
  configuration: Configuration;
  /** The engine with the rules that hold in a workspace. */
  inWorkspace: (workspace: string) => Promise<Engine>;
  cwd: string;
}

/**
 * Prepares a call with its real tool, asks the gate, and runs nothing.
 *
 * @throws KlausError `usage` for a call or a grant that cannot be read.
 */
export async function explain(
  given: string | GivenCall,
  { session, grant, mode }: ExplainOptions,
  { engine, configuration, inWorkspace, cwd }: Explaining,
): Promise<Explanation> {
  const call = typeof given === 'string' ? fromCallText(given, engine.tools) : given;
  const state =
    session === undefined ? toFreshState(engine, { configuration, cwd, grant }) : await loadState(engine, session);
  if (mode !== undefined) state.mode = mode;
  const found = await explainCall(await inWorkspace(state.session!.workspace), state, call);
  return {
    ...found,
    grant: toGrantText(found.grant),
    access: found.access.map(({ what, covered, by, nearest, needs }) => ({
      what,
      covered,
      by: by.map(toAuthorityText),
      ...(nearest ? { nearest: { authority: toAuthorityText(nearest.authority), why: nearest.why } } : {}),
      ...(needs ? { needs: needs.map(toAuthorityText) } : {}),
    })),
    wouldCover: toNeedsText(found.access),
  };
}

/** The state of a session that nobody has opened. */
function toFreshState(
  engine: Engine,
  { configuration, cwd, grant }: { configuration: Configuration; cwd: string; grant: GivenGrant | undefined },
): State {
  const { values } = configuration;
  const root = realpathSync.native(resolve(cwd, configuration.get('workspace')));
  const given = grant === undefined ? {} : { grant };
  const placed = resolveSessionGrant({ given, configuration, cwd }, { workspace: root, engine });
  const at = engine.clock.now();
  const state = createState();
  fold(state, {
    ...{ v: EVENT_VERSION, seq: 1, prev: FIRST_PREV, session: engine.ids.ulid(), at },
    type: 'session.opened',
    workspace: root,
    model: '',
    mode: values.approve,
    patchApproval: values.requirePatchApproval,
    sandbox: values.sandbox.driver ?? 'bubblewrap',
    checkpoint: values.checkpoint,
    limits: values.limits,
    grant: placed.grant,
    ...(placed.readable.length > 0 ? { readable: placed.readable } : {}),
    ...(placed.writable.length > 0 ? { writable: placed.writable } : {}),
    system: toSystemPrompt(engine.tools.deferred),
    tools: [...engine.tools.offered],
    deferred: [...engine.tools.deferred],
    klaus: VERSION,
    ...(values.isolate ? { isolate: true } : {}),
  });
  return state;
}
