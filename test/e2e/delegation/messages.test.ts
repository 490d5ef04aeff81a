// Covers core/agent/children, adapters/tools/agents: messages between a session and its agents.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ofType } from '../../fixtures/engine.ts';
import {
  childrenOf,
  createTeam,
  DELEGATES_ALL,
  endsOf,
  lead,
  message,
  read,
  spawn,
  toAgent,
  toLead,
  wait,
  write,
} from './team.fixture.ts';

const ID = "{{result | match '(\\w{26})'}}";

test('a message to a sibling is refused (naive: any open session may be sent to)', async () => {
  await using team = await createTeam({
    agents: [toAgent('reader'), toLead('middle', ['reader']), toLead('lead', ['reader', 'middle'])],
    scripts: {
      lead: [[spawn('reader')], [spawn('middle', { task: `Write to ${ID}.` })], [wait()], 'Done.'],
      middle: [[message("{{user | match 'to (\\w{26})'}}", 'Delete everything.')], [message('reader')], 'Done.'],
      reader: [[read], 'Done.'],
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  const [reader, middle] = childrenOf(events);
  const below = await team.events(middle!);
  expect(endsOf(below)).toEqual(['message_agent error usage', 'message_agent error usage']);
  // The id was the right one.
  expect(JSON.stringify(ofType(below, 'message.added'))).toContain(`"to":"${reader!}"`);
  expect(
    ofType(await team.events(reader!), 'message.added').filter(({ message: { role } }) => role === 'user'),
  ).toHaveLength(1);
});

test('a message to the parent is refused (naive: any session of the chain may be sent to)', async () => {
  await using team = await createTeam({
    agents: [toLead('middle', []), toLead('lead', ['middle'])],
    scripts: {
      lead: [[spawn('middle')], [wait()], 'Done.'],
      middle: [[message('lead')], 'Done.'],
    },
  });
  const { events } = await lead(team, { grant: DELEGATES_ALL });
  expect(endsOf(await team.events(childrenOf(events)[0]!))).toEqual(['message_agent error usage']);
});

test('a finished agent continues with its authority and its limits (naive: each task opens it again)', async () => {
  await using team = await createTeam({
    agents: [toAgent('reader'), toLead('lead', ['reader'])],
    scripts: {
      lead: [
        [spawn('reader', { budget: { turns: 4 } })],
        [wait({ keep: true })],
        [message('reader', 'Write it.')],
        [wait()],
        'Done.',
      ],
      reader: [[read], 'First.', [write('w.txt')], 'Second.'],
    },
  });
  const { events } = await lead(team);
  expect(endsOf(events)).toEqual(['spawn_agent ok', 'wait_agents ok', 'message_agent ok', 'wait_agents ok']);
  const [child] = childrenOf(events);
  expect(childrenOf(events)).toHaveLength(1);
  const own = await team.events(child!);
  expect(ofType(own, 'session.opened')).toHaveLength(1);
  expect(ofType(own, 'run.started')).toHaveLength(2);
  expect(ofType(own, 'session.changed').filter(({ limits }) => limits)).toEqual([]);
  expect(endsOf(own)).toEqual(['read_file ok', 'write_file denied']);
  expect(existsSync(join(team.place.workspace, 'w.txt'))).toBe(false);
  const [closed] = ofType(events, 'child.closed');
  expect(closed).toMatchObject({ child, turns: 4, toolCalls: 2 });
});

test('the limits of a finished agent count all of its tasks (naive: each task has the limits again)', async () => {
  await using team = await createTeam({
    agents: [toAgent('reader'), toLead('lead', ['reader'])],
    scripts: {
      lead: [
        [spawn('reader', { budget: { turns: 3 } })],
        [wait({ keep: true })],
        [message('reader')],
        [wait()],
        'Done.',
      ],
      reader: [[read], 'First.', [read], 'Second.'],
    },
  });
  const { events } = await lead(team);
  const own = await team.events(childrenOf(events)[0]!);
  expect(ofType(own, 'run.finished').map(({ outcome }) => outcome)).toEqual(['done', 'limit']);
  expect(ofType(events, 'child.closed')).toMatchObject([{ turns: 3 }]);
});

test('a message to a closed agent is refused (naive: a message opens it again)', async () => {
  await using team = await createTeam({
    agents: [toAgent('reader'), toLead('lead', ['reader'])],
    scripts: {
      lead: [[spawn('reader')], [wait()], [message('reader')], 'Done.'],
      reader: ['First.'],
    },
  });
  const { events } = await lead(team);
  expect(endsOf(events).at(-1)).toBe('message_agent error usage');
  expect(ofType(await team.events(childrenOf(events)[0]!), 'run.started')).toHaveLength(1);
});

test('a closed agent is not reached by its id either (naive: only names are compared)', async () => {
  await using team = await createTeam({
    agents: [toAgent('reader'), toLead('lead', ['reader'])],
    scripts: {
      lead: [[spawn('reader')], [wait()], [message(ID)], 'Done.'],
      reader: ['First.'],
    },
  });
  const { events } = await lead(team);
  const [child] = childrenOf(events);
  const called = JSON.stringify(ofType(events, 'message.added').at(-2));
  expect(called).toContain(`"to":"${child!}"`);
  expect(endsOf(events).at(-1)).toBe('message_agent error usage');
  expect(ofType(await team.events(child!), 'run.started')).toHaveLength(1);
});
