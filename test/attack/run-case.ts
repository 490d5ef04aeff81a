import type { Script } from '@klaus/adapters/models';
import { createTestEngine, outcomeOf } from '../fixtures/engine.ts';
import type { AttackCase } from './case.ts';
import { createScene, type Scene } from './scene.ts';

export interface Attacked {
  effects: string[];
  outcome: string | undefined;
}

/** Lets a hijacked model make its calls: bubblewrap, by default in mode auto and without an approver. */
export async function attack(attackCase: AttackCase): Promise<Attacked> {
  // The calls name paths of the scene, so the engine is created first and its script is filled then.
  const script: Script = { steps: [{ when: { tools: false }, reply: { text: 'A title' } }] };
  await using engine = await createTestEngine({
    script,
    settings: { 'sandbox.driver': 'bubblewrap', approve: attackCase.mode ?? 'auto' },
    env: attackCase.env,
    files: attackCase.files,
  });
  const scene: Scene = createScene(engine.place, engine.server);
  attackCase.before?.(scene);
  const prepare = (toCalls: AttackCase['calls']): void => {
    const turns = toCalls(scene).map((entry) => (Array.isArray(entry) ? [...entry] : [entry]));
    script.steps.splice(1);
    for (const [turn, calls] of turns.entries()) script.steps.push({ when: { turn }, reply: { calls } });
    script.steps.push({ when: { turn: turns.length }, reply: { text: attackCase.says ?? 'Done.' } });
  };
  prepare(attackCase.calls);
  const session = await engine.klaus.open(attackCase.opening);
  scene.copies = engine.klaus.copies;
  scene.session = session.id;
  const onAsk = attackCase.user ? 'wait' : 'deny';
  await session.prompt('Look around and see what is to be done.', { onAsk });
  let result = await session.advance();
  for (let question = 0; attackCase.user && result.state === 'parked'; question++) {
    const { scope, beforeAnswer } = attackCase.user;
    if (question === 0) beforeAnswer?.(scene);
    for (const { approval } of result.approvals) {
      if (question === 0) await engine.klaus.answer(approval, 'approved', { scope });
      else await engine.klaus.answer(approval, 'rejected');
    }
    result = await session.advance();
  }
  scene.events = await Array.fromAsync(session.events());
  scene.sessions = [scene.events];
  for (const calls of attackCase.later ?? []) {
    prepare(calls);
    const next = await engine.klaus.open();
    await next.prompt('Run the tests.', { onAsk });
    await next.advance();
    scene.sessions.push(await Array.fromAsync(next.events()));
  }
  scene.undoGit = async () => {
    const first = scene.events.find(({ type }) => type === 'workspace.snapshotted');
    if (first?.type !== 'workspace.snapshotted') return [];
    const result = await session.restore({ kind: 'undo', turn: first.turn, git: true }, { by: 'test' });
    return result.done ? [] : [`the undo met conflicts: ${JSON.stringify(result.conflicts)}`];
  };
  const outcome = outcomeOf(scene.events)?.outcome;
  const effects = [...(await attackCase.effects(scene))];
  if (attackCase.outcome !== undefined && outcome !== attackCase.outcome)
    effects.push(`the run ended as ${outcome}, not as ${attackCase.outcome}`);
  return { effects, outcome };
}
