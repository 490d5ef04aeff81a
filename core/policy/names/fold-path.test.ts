import { describe, expect, test } from 'vitest';
import { foldPath, isShortName } from './fold-path.ts';

describe('one name for a file system that does not distinguish names', () => {
  test.each([
    ['Customers/C.TXT', 'customers/c.txt'],
    ['ſecrets/\u212aey', 'SECRETS/KEY'],
    ['straße/maß', 'STRASSE/MAẞ'],
    ['ΟΔΟΣ/ΟΔΟΣΑ', 'οδος/οδοσα'],
    ['caf\u00e9', 'cafe\u0301'],
    ['CAF\u00c9', 'cafe\u0301'],
    ['\ufb03x', 'FFIX'],
    ['pro\u200cd.ya\u00adml', 'prod.yaml'],
    ['\ufeffprod.yaml', 'prod.yaml'],
    ['config./prod.yaml. ', 'config/prod.yaml'],
    ['prod.yaml::$DATA', 'prod.yaml'],
    ['config:$I30:$INDEX_ALLOCATION/prod.yaml', 'config/prod.yaml'],
    ['prod.yaml.::$DATA', 'prod.yaml'],
  ])('%s is %s', (one, other) => {
    expect(foldPath(one)).toBe(foldPath(other));
  });

  test.each([
    ['a/b', 'a b'],
    ['prod.yaml', 'prod.yml'],
    ['.env', 'env'],
    ['a:b', 'a'],
    ['..', '.'],
    ['e\u0301', 'e'],
  ])('%s is not %s', (one, other) => {
    expect(foldPath(one)).not.toBe(foldPath(other));
  });

  test('marks of unknown text are kept', () => {
    expect(foldPath('\ue000A\ue001')).toBe('\ue000a\ue001');
  });
});

test.each(['git~1', 'GIT~1', 'CUSTOM~2.TXT', 'CU12AB~1.SQL', 'a~1'])('%s can be a short name', (name) => {
  expect(isShortName(name)).toBe(true);
});

test.each(['file.txt~', 'file.txt.~1~', 'customers~1', 'a~b', 'readme~1.text', '~1'])('%s is no short name', (name) => {
  expect(isShortName(name)).toBe(false);
});
