import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findRegistries } from './registries.ts';

function find(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'klaus-registries-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    return findRegistries({ HOME: home, ...env });
  } finally {
    rmSync(home, { recursive: true });
  }
}

test('registries of configuration files are found, and the default ones have their variables', () => {
  const { hosts, variables } = find({
    '.npmrc': 'registry=https://npm.example.com/all/\n@own:registry = http://own.example.com/\n',
    '.config/pip/pip.conf':
      '[global]\nindex-url = https://pip.example.com/simple\nextra-index-url =\n  https://a.example.com:8443/\n  https://b.example.com/\n',
    '.config/go/env': 'GOPROXY=https://go.example.com,direct\n',
    '.cargo/config.toml': '[source.own]\nregistry = "sparse+https://crates.example.com/index/"\n',
  });
  expect(hosts).toMatchObject({
    npm: ['npm.example.com', 'own.example.com:80'],
    go: ['go.example.com'],
    crates: ['crates.example.com'],
  });
  expect(hosts.pypi).toEqual(expect.arrayContaining(['pip.example.com', 'a.example.com:8443', 'b.example.com']));
  expect(variables).toMatchObject({
    npm_config_registry: 'https://npm.example.com/all/',
    PIP_INDEX_URL: 'https://pip.example.com/simple',
  });
});

test('variables override files, and an address with a password reaches no command', () => {
  const { hosts, variables } = find(
    { '.npmrc': 'registry=https://file.example.com/\n' },
    { npm_config_registry: 'https://npm.example.com/', PIP_INDEX_URL: 'https://me:word@pip.example.com/simple' },
  );
  expect(hosts.npm).toEqual(['npm.example.com', 'file.example.com']);
  expect(hosts.pypi).toContain('pip.example.com');
  expect(variables['npm_config_registry']).toBe('https://npm.example.com/');
  expect(JSON.stringify(variables)).not.toContain('word');
});

test('text that is no address is ignored', () => {
  expect(find({ '.npmrc': 'registry=nothing\n' }, { GOPROXY: 'direct,off' }).hosts).not.toHaveProperty('npm');
});
