import type { Engine, OpenChild } from '@klaus/core/agent';
import { allowsAccess } from '@klaus/core/policy';
import { KlausError, type EventBody } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { checkModel } from '../grants/opening-grant.ts';
import { findFallback } from './find-fallback.ts';
import { toAgentMode, toRequestedModel } from './open-as.ts';
import { selectServers } from '../mcp/session-servers.ts';
import { toOpened } from './open-session.ts';
import { advisePrice } from './advise-price.ts';

/**
 * Opens the session of a child agent in the workspace of its parent. The authority and the limits were recorded by its
 * parent. Does nothing if the session exists.
 */
export async function openChild(
  { engine, configuration }: { engine: Engine; configuration: Configuration },
  request: OpenChild,
): Promise<void> {
  const { id, parent, agent, limits, grant, opened, title } = request;
  const lease = await engine.store.claim(id);
  // Only its parent opens it, so that a process that holds it works on an open session.
  if (!lease) return;
  try {
    for await (const _ of engine.store.read(id)) return;
    if (opened.runner) {
      await engine.store.append(id, toProgramChild({ engine, configuration }, request), { lease });
      return;
    }
    const found = await engine.openAgents(opened.workspace).find(agent);
    const { hash, isTrusted } = found;
    const definition = { ...found.definition, name: found.name };
    if (hash !== request.definition) {
      throw new KlausError('workspace.conflict', `The definition of ${agent} changed before it was started.`, {
        hint: 'Start it again: it then gets its present authority.',
      });
    }
    const model = await engine.models.resolve(toRequestedModel(definition) ?? request.model);
    checkModel(grant, model.name);
    if (limits.usd > 0 && model.info.prices.length === 0) {
      throw new KlausError('config', `No price is known for ${model.name}, so the budget of ${agent} cannot be kept.`, {
        hint: `${advisePrice(model.name)} Or give ${agent} another model.`,
      });
    }
    const names = definition.fallback ?? opened.fallback ?? [];
    const { fallback, notices } = await findFallback(engine, { names, model: model.name, grant, limits });
    const now = engine.clock.now();
    const isReadable = (path: string): boolean => allowsAccess(grant, { kind: 'fs', path, right: 'r' }, now);
    const given = {
      mode: toAgentMode(definition, request.mode),
      checkpoint: opened.checkpoint,
      isolate: opened.isolate === true,
      temperature: definition.config?.temperature,
      effort: definition.effort,
    };
    const body = toOpened(
      { engine, configuration, given, agent: definition },
      {
        workspace: opened.workspace,
        model: model.name,
        fallback,
        sandbox: opened.sandbox,
        limits,
        grant,
        readable: (opened.readable ?? []).filter(isReadable),
        writable: (opened.writable ?? []).filter(isReadable),
        mcpServers: isTrusted ? selectServers(definition, opened.mcpServers ?? []) : [],
      },
    );
    // A child is reviewed at least as its parent.
    const reviewers = [...new Set([...(opened.reviewers ?? []), ...(definition.reviewers ?? [])])];
    const bodies: EventBody[] = [
      {
        ...body,
        parent,
        privateHosts: opened.privateHosts,
        patchApproval: opened.patchApproval,
        ...(reviewers.length === 0 ? {} : { reviewers }),
      },
      { type: 'session.changed', title },
      ...notices.map((text): EventBody => ({ type: 'notice', level: 'warn', text })),
    ];
    await engine.store.append(
      id,
      bodies.map((each) => ({ ...each, at: now })),
      { lease },
    );
  } finally {
    await lease.release();
  }
}

/** The session of an agent that the program of its parent started. Its parent has the snapshots and the checkpoints. */
function toProgramChild(
  { engine, configuration }: { engine: Engine; configuration: Configuration },
  { parent, agent, limits, grant, opened, model, mode, title }: OpenChild,
): (EventBody & { at: number })[] {
  const { workspace, sandbox, readable = [], writable = [], runner, patchApproval, isolate, privateHosts } = opened;
  const given = { mode, checkpoint: 'manual' as const, isolate: isolate === true };
  const { deferred: _, ...body } = toOpened(
    { engine, configuration, given },
    { workspace, model, sandbox, limits, grant, readable, writable },
  );
  const at = engine.clock.now();
  const own = { agent, allowedAgents: ['*'], tools: [], system: '', snapshots: false as const };
  return [
    { ...body, ...own, ...(runner ? { runner } : {}), parent, patchApproval, privateHosts, at },
    { type: 'session.changed', title, at },
  ];
}
