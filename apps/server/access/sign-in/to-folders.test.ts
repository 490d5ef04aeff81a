import { expect, test } from 'vitest';
import { toFolders, toNamedGroups } from './to-folders.ts';

const MAPPING = ['painters=/srv/a', 'painters=/srv/b/', 'a=b=/srv/c', '*=/srv/../srv/open'];

test.each([
  [['painters'], ['/srv/a', '/srv/b', '/srv/open']],
  [['a=b'], ['/srv/c', '/srv/open']],
  [['Painters', 'a', 'b'], ['/srv/open']],
  [[], ['/srv/open']],
])('%j sees %j', (groups, folders) => {
  expect(toFolders({ role: 'operator', groups }, MAPPING)).toEqual(folders);
  expect(toFolders({ role: 'operator', groups: toNamedGroups(groups, MAPPING) }, MAPPING)).toEqual(folders);
});

test('an admin sees everything, everyone does without a mapping, and who has no group of it sees nothing', () => {
  expect(toFolders({ role: 'admin', groups: ['painters'] }, MAPPING)).toBeUndefined();
  expect(toFolders({ role: 'viewer', groups: ['painters'] }, [])).toBeUndefined();
  expect(toFolders({ role: 'viewer', groups: ['others', '*'] }, ['painters=/srv/a'])).toEqual([]);
});
