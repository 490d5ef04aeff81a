import { expect, test } from 'vitest';
import { deAttach } from './attach/de-attach.ts';
import { enAttach } from './attach/en-attach.ts';
import { de } from './de.ts';
import { deChanges } from './changes/de-changes.ts';
import { enChanges } from './changes/en-changes.ts';
import { deAgents } from './de-agents.ts';
import { deDebug } from './de-debug.ts';
import { deGuard } from './de-guard.ts';
import { deRender } from './render/de-render.ts';
import { enRender } from './render/en-render.ts';
import { enAgents } from './en-agents.ts';
import { enDebug } from './en-debug.ts';
import { deLists } from './lists/de-lists.ts';
import { enLists } from './lists/en-lists.ts';
import { enGuard } from './en-guard.ts';
import { en } from './en.ts';
import { deSettings } from './settings/de-settings.ts';
import { enSettings } from './settings/en-settings.ts';
import { deUsage } from './usage/de-usage.ts';
import { enUsage } from './usage/en-usage.ts';

type Leaf = string | ((...args: never[]) => string);

/** Every text by its path, such as `call.verdict.allow`. */
function toLeaves(value: object, path = ''): [string, Leaf][] {
  return Object.entries(value).flatMap(([key, item]): [string, Leaf][] => {
    const name = path === '' ? key : `${path}.${key}`;
    return typeof item === 'object' && item !== null ? toLeaves(item as object, name) : [[name, item as Leaf]];
  });
}

/** With the texts that are loaded later. */
const ENGLISH = {
  ...en,
  ...{ agents: enAgents, guard: enGuard, debug: enDebug, inLists: enLists, settings: enSettings, reviewing: enChanges },
  attach: enAttach,
  render: enRender,
  usagePage: enUsage,
};
const GERMAN = {
  ...de,
  ...{ agents: deAgents, guard: deGuard, debug: deDebug, inLists: deLists, settings: deSettings, reviewing: deChanges },
  attach: deAttach,
  render: deRender,
  usagePage: deUsage,
};

test('both languages have the same texts, none empty', () => {
  const english = toLeaves(ENGLISH);
  const german = new Map(toLeaves(GERMAN));
  expect([...german.keys()]).toEqual(english.map(([name]) => name));
  for (const [name, leaf] of english) {
    const other = german.get(name)!;
    expect(typeof other, name).toBe(typeof leaf);
    if (typeof leaf === 'string') {
      expect(leaf.trim(), name).not.toBe('');
      expect((other as string).trim(), name).not.toBe('');
    } else expect(other.length, name).toBe(leaf.length);
  }
});

test('all texts are translated', () => {
  const german = new Map(toLeaves(GERMAN));
  // Names, and words that are the same in both languages.
  const same = toLeaves(ENGLISH).filter(([name, leaf]) => typeof leaf === 'string' && german.get(name) === leaf);
  expect(same.map(([name]) => name).toSorted()).toEqual([
    'agents.fields.name',
    'app.name',
    'composer.modeNames.auto',
    'composer.sendKey',
    'conversation.klaus',
    'layout.accents.iris',
    'lists.attach.commit',
    'settings.first.sandboxTitle',
    'settings.mcp.name',
    'settings.mcp.url',
    'settings.models.name',
    'settings.models.wire',
    'settings.models.wires.messages',
    'settings.models.wires.responses',
    'settings.names.sandbox.driver.name',
    'settings.sections.budgets',
    'settings.sections.sandbox',
    'signIn.token',
    'usage.agent',
  ]);
});
