import { resolve } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { createWorkspace } from '@klaus/adapters/workspace';
import { SYSTEM_PROMPT, type Engine } from '@klaus/core/agent';
import { toDefaultGrant } from '@klaus/core/policy';
import { KlausError, type EventBody, type Limits } from '@klaus/core/protocol';
import type { Configuration } from './config/configuration.ts';
import { toSandboxOptions } from './engine-settings.ts';
import type { OpenOptions } from './klaus.ts';
import { VERSION } from './version.ts';

export interface OpenInput {
  engine: Engine;
  configuration: Configuration;
  given: OpenOptions;
  cwd: string;
}

/** Checks everything that a session needs before it exists, then writes its first event. Returns its id. */
export async function openSession({ engine, configuration, given, cwd }: OpenInput): Promise<string> {
  const { values } = configuration;
  const root = resolve(cwd, given.workspace ?? values.workspace ?? '.');
  const workspace = await createWorkspace(root, { klausHome: engine.home, allowAny: given.allowAnyWorkspace ?? false });
  const model = await engine.models.resolve(given.model ?? values.model);
  const limits: Limits = { ...values.limits, ...given.limits };
  if (limits.usd > 0 && model.info.prices.length === 0) {
    throw new KlausError('config', `No price is known for ${model.name}, so a budget in dollars cannot be kept.`, {
      hint: `Configure prices."${model.name}" with input and output in dollars per million tokens, or run without --budget-usd.`,
    });
  }
  const choice = given.sandbox ?? values.sandbox.driver;
  const sandbox = await createSandbox({
    ...toSandboxOptions(configuration),
    workspace: workspace.root,
    home: engine.home,
    ...(choice === undefined ? {} : { choice }),
  });
  const id = engine.ids.ulid();
  const opened: EventBody = {
    type: 'session.opened',
    workspace: workspace.root,
    model: model.name,
    mode: given.mode ?? values.approve,
    patchApproval: values.requirePatchApproval,
    sandbox: sandbox.name,
    checkpoint: given.checkpoint ?? values.checkpoint,
    limits,
    grant: toDefaultGrant(workspace.root),
    system: SYSTEM_PROMPT,
    tools: [...engine.tools.names],
    klaus: VERSION,
  };
  const lease = engine.store.claim(id);
  if (!lease) throw new KlausError('store.busy', `The new session ${id} is already held.`);
  try {
    await engine.store.append(id, [{ ...opened, at: engine.clock.now() }], { lease });
  } finally {
    lease.release();
  }
  return id;
}
