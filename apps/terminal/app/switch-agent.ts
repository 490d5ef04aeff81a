import type { Event } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { agentOf, type App, BUILT_IN } from './app.ts';
import { toHeader } from './header.ts';
import { choose } from './pickers.ts';

/** Asks for one of the agents, and continues with it. */
export async function openAgents(app: App): Promise<void> {
  const defined = (await app.client.agents()).filter(({ name }) => name !== BUILT_IN);
  const all = [{ name: BUILT_IN, description: 'the coding agent' }, ...defined];
  return choose(app, {
    title: `Agent (now ${agentOf(app)}):`,
    choices: all.map(({ name, description }) => ({ value: name, label: name, detail: toLine(description, 200) })),
    selected: all.findIndex(({ name }) => name === agentOf(app)),
    onChoose: (name) => app.do(() => switchAgent(app, name)),
  });
}

/** Continues the latest session of an agent in this folder; without one, the next prompt opens it. */
export async function switchAgent(app: App, name: string): Promise<void> {
  const { options, client, link } = app;
  const start = await options.begin(client, name);
  await link.detach(await options.toRequest(client, start));
  app.start = start;
  app.print(`\n${toHeader(app)}`);
  for (const note of start.notes) app.note(note);
  if (start.session === undefined) return app.note('The next prompt starts a new session.');
  await link.attach(start.session);
  if (Object.keys(start.change).length > 0) await link.change(start.change);
}

/** Sessions whose user has seen how to choose another agent. */
const advised = new Set<string>();

/** Names `/agent` the first time that an agent calls something that its grant does not cover. */
export function adviseAgent(app: App, event: Event): void {
  if (event.type !== 'gate.decided' || event.verdict !== 'deny' || event.rule !== 'grant') return;
  if (agentOf(app) === BUILT_IN || advised.has(event.session)) return;
  advised.add(event.session);
  app.note(`The agent ${agentOf(app)} may not do this. /agent chooses another one.`);
}
