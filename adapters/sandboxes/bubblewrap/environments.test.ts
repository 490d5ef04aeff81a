import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../create-sandbox.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { findToolchains } from './toolchains/toolchains.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/** A home folder of a user, and a folder without any of its programs. */
function createUser(name: string) {
  const home = join(place.root, 'users', name);
  const workspace = join(home, 'work', 'project');
  const put = (path: string, text = '', mode = 0o644) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    chmodSync(join(home, path), mode);
  };
  const script = (path: string, text: string) => put(path, `#!/bin/sh\n${text}\n`, 0o755);
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    symlinkSync(target, join(home, path));
  };
  mkdirSync(workspace, { recursive: true });
  const toEnv = (path: string, env: Record<string, string>) => ({
    HOME: home,
    PATH: `${path
      .split(' ')
      .map((each) => (each.startsWith('/') ? each : join(home, each)))
      .join(':')}:${SYSTEM_PATH}`,
    ...env,
  });
  const find = (path: string, env: Record<string, string> = {}) =>
    findToolchains({
      workspace,
      home: place.home,
      userHome: home,
      execPath: '/usr/bin/node',
      env: toEnv(path, env),
    });
  const run = async (path: string, command: string, env: Record<string, string> = {}) => {
    const options = { workspace, home: place.home, env: toEnv(path, env), choice: 'bubblewrap' } as const;
    const { output, exitCode } = await (await createSandbox(options)).exec({ command: ['/bin/sh', '-c', command] });
    return { output: output.trim(), exitCode };
  };
  return { home, workspace, put, script, link, find, run, at: (path: string) => join(home, path) };
}

describe('version managers: the targets of shims and their settings are visible', () => {
  test.each([
    ['pyenv', 'PYENV_ROOT', '.pyenv', '.python-version', 'version'],
    ['rbenv', 'RBENV_ROOT', '.rbenv', '.ruby-version', 'version'],
  ])('%s', async (name, variable, folder, choice, fallback) => {
    const user = createUser(name);
    for (const version of ['1.0', '2.0'])
      user.script(`${folder}/versions/${version}/bin/tool`, `echo tool ${version} of $${variable}`);
    user.put(`${folder}/${fallback}`, '1.0\n');
    user.put(`${folder}/versions/.DS_Store`);
    user.put(`${folder}/versions/README`);
    // Like the shims of both: the folder from the variable, the version from the nearest file above, or else the default.
    user.script(
      `${folder}/libexec/${name}`,
      `root="\${${variable}:-$HOME/${folder}}"; at="$PWD"
while [ "$at" != / ] && [ ! -e "$at/${choice}" ]; do at=$(dirname "$at"); done
file="$root/${fallback}"; [ -e "$at/${choice}" ] && file="$at/${choice}"
exec "$root/versions/$(cat "$file")/bin/tool"`,
    );
    user.link(`${folder}/bin/${name}`, `../libexec/${name}`);
    user.script(`${folder}/shims/tool`, `exec ${user.at(folder)}/libexec/${name}`);
    const path = `${folder}/shims ${folder}/bin`;
    expect(await user.run(path, 'tool')).toEqual({ output: `tool 1.0 of ${user.at(folder)}`, exitCode: 0 });
    // A file above the workspace has the same effect in the sandbox; the program itself finds its folder too.
    user.put(`work/${choice}`, '2.0\n');
    expect((await user.run(path, `tool; ${name}`)).output.split('\n')).toEqual(
      Array(2).fill(`tool 2.0 of ${user.at(folder)}`),
    );
    expect(user.find(path).refused).toEqual([]);
  });

  test('asdf: its settings and versions of the home folder', async () => {
    const user = createUser('asdf');
    user.script('.asdf/installs/tool/2.0/bin/tool', 'echo tool 2.0');
    user.script('.asdf/plugins/tool/bin/list-all', 'echo 2.0');
    user.put('.asdfrc', 'legacy_version_file = yes\n');
    user.put('.tool-versions', 'tool 2.0\n');
    user.script(
      '.local/bin/asdf',
      `root="\${ASDF_DATA_DIR:-$HOME/.asdf}"; grep -q yes "$HOME/.asdfrc" && [ -x "$root/plugins/tool/bin/list-all" ] || exit 3
exec "$root/installs/tool/$(cut -d' ' -f2 "$HOME/.tool-versions")/bin/tool"`,
    );
    user.script('.asdf/shims/tool', 'exec asdf exec tool');
    expect(await user.run('.asdf/shims .local/bin', 'tool')).toEqual({ output: 'tool 2.0', exitCode: 0 });
  });

  test('Volta: shims that are links to one program', async () => {
    const user = createUser('volta');
    user.script('.volta/tools/image/node/24.1.0/bin/node', 'echo node 24.1.0');
    user.put('.volta/tools/user/platform.json', '24.1.0');
    user.put('.volta/layout.v4');
    user.script(
      '.volta/bin/volta-shim',
      'root="${VOLTA_HOME:-$HOME/.volta}"; exec "$root/tools/image/node/$(cat "$root/tools/user/platform.json")/bin/node"',
    );
    user.link('.volta/bin/node', 'volta-shim');
    expect(await user.run('.volta/bin', 'node')).toEqual({ output: 'node 24.1.0', exitCode: 0 });
  });

  test('mise: its settings, and a version that is a link to another folder', async () => {
    const user = createUser('mise');
    user.script('elsewhere/python/3.12/bin/tool', 'cat "$(dirname "$0")/../lib/name"');
    user.put('elsewhere/python/3.12/lib/name', 'python 3.12');
    user.link('.local/share/mise/installs/python/3.12', user.at('elsewhere/python/3.12'));
    user.put('.config/mise/config.toml', '[tools]\npython = "3.12"\n');
    user.put('.config/mise/secret.toml', 'TOKEN');
    user.script(
      '.local/bin/mise',
      'grep -q 3.12 "$MISE_CONFIG_DIR/config.toml" && exec "$MISE_DATA_DIR/installs/python/3.12/bin/tool"',
    );
    user.link('.local/share/mise/shims/tool', user.at('.local/bin/mise'));
    const path = '.local/share/mise/shims .local/bin';
    expect(await user.run(path, 'tool; ls "$MISE_CONFIG_DIR"')).toEqual({
      output: 'python 3.12config.toml',
      exitCode: 0,
    });
    user.put('.config/mise/config.toml', '[tools]\npython = "3.12"\n[env]\nTOKEN = "x"\n');
    const found = user.find(path);
    expect(found.binds).not.toContain(user.at('.config/mise/config.toml'));
    expect(found.refused).toEqual([expect.stringContaining(user.at('.config/mise/config.toml'))]);
  });

  test('nvm, fnm and n: every version, and the link of fnm that is made for one shell', async () => {
    const user = createUser('node');
    for (const version of ['v22.0.0', 'v24.0.0']) {
      user.script(`.nvm/versions/node/${version}/bin/node`, `echo nvm ${version}`);
      user.script(`.local/share/fnm/node-versions/${version}/installation/bin/node`, `echo fnm ${version}`);
      user.script(`n-prefix/n/versions/node/${version}/bin/node`, `echo n ${version}`);
    }
    user.put('.nvm/nvm.sh', 'nvm() { "$NVM_DIR/versions/node/$2/bin/node"; }\n');
    user.put('.nvm/.npmrc', 'secret');
    user.script('n-prefix/bin/node', 'echo n');
    user.link('run/fnm_multishells/1_2', user.at('.local/share/fnm/node-versions/v24.0.0/installation'));
    const nvm = '.nvm/versions/node/v24.0.0/bin';
    expect(await user.run(nvm, 'node; . "$NVM_DIR/nvm.sh"; nvm use v22.0.0; ls -A "$NVM_DIR"')).toEqual({
      output: 'nvm v24.0.0\nnvm v22.0.0\nnvm.sh\nversions',
      exitCode: 0,
    });
    expect((await user.run('run/fnm_multishells/1_2/bin', 'node; ls "$FNM_DIR/node-versions"')).output).toBe(
      'fnm v24.0.0\nv22.0.0\nv24.0.0',
    );
    const prefix = { N_PREFIX: user.at('n-prefix') };
    expect((await user.run('n-prefix/bin', 'node; "$N_PREFIX/n/versions/node/v22.0.0/bin/node"', prefix)).output).toBe(
      'n\nn v22.0.0',
    );
  });

  test('SDKMAN: candidates with all of their folders and variables', async () => {
    const user = createUser('sdkman');
    user.script('.sdkman/candidates/spark/4.0/bin/spark', 'ls "$SPARK_HOME"/jars "$JAVA_HOME"/conf');
    user.put('.sdkman/candidates/spark/4.0/jars/core.jar');
    user.link('.sdkman/candidates/spark/current', '4.0');
    user.script('jdk/bin/java', 'echo java');
    user.put('jdk/lib/modules');
    user.put('jdk/conf/security.policy');
    user.link('.sdkman/candidates/java/mine', user.at('jdk'));
    user.link('.sdkman/candidates/java/current', 'mine');
    user.put('.sdkman/etc/config', 'sdkman_auto_answer=false');
    user.put('.sdkman/etc/token', 'secret');
    const at = (name: string) => user.at(`.sdkman/candidates/${name}/current`);
    const { output } = await user.run(
      `${at('spark')}/bin ${at('java')}/bin`,
      'spark; java; ls "$SDKMAN_DIR/etc"; echo "$KEY_FILE"',
      { SPARK_HOME: at('spark'), JAVA_HOME: at('java'), KEY_FILE: user.at('.ssh/key') },
    );
    expect(output.split('\n')).toEqual([
      `${at('java')}/conf:`,
      'security.policy',
      '',
      `${at('spark')}/jars:`,
      'core.jar',
      'java',
      'config',
    ]);
  });
});

describe('virtual environments', () => {
  test('conda: the variables of an activation, without those that conda stores', async () => {
    const user = createUser('conda');
    const root = user.at('miniconda3/envs/data');
    user.script(
      'miniconda3/envs/data/bin/tool',
      'ls "$CONDA_PREFIX" "$GDAL_DATA"; cat "$CONDA_PREFIX/conda-meta/state"',
    );
    user.put('miniconda3/envs/data/conda-meta/state', '{"env_vars":{"TOKEN":"x"}}');
    user.put('miniconda3/envs/data/lib/libtool.so');
    user.put('miniconda3/envs/data/etc/conda/activate.d/variables.sh', 'TOKEN=x');
    user.put('miniconda3/envs/data/share/gdal/table.csv');
    user.put('miniconda3/envs/data/x86_64-conda-linux-gnu/sysroot/x');
    const { output } = await user.run('miniconda3/envs/data/bin', 'tool; ls -A "$CONDA_PREFIX/etc"', {
      CONDA_PREFIX: root,
      GDAL_DATA: join(root, 'share/gdal'),
    });
    const shown = ['bin', 'conda-meta', 'lib', 'share', 'x86_64-conda-linux-gnu'];
    expect(output.split('\n').slice(0, 9)).toEqual([`${root}:`, ...shown, '', `${root}/share/gdal:`, 'table.csv']);
    expect(output).not.toContain('TOKEN');
  });

  test('Poetry: only the environment of the workspace', () => {
    const user = createUser('poetry');
    user.put('work/project/pyproject.toml', '[tool.poetry]\n');
    const mark = createHash('sha256').update(user.workspace).digest('base64url').slice(0, 8);
    const store = '.cache/pypoetry/virtualenvs';
    for (const name of [`project-${mark}-py3.12`, 'other-AAAAAAAA-py3.12']) {
      user.script(`${store}/${name}/bin/tool`, 'echo');
      user.put(`${store}/${name}/pyvenv.cfg`, 'home = /usr/bin\n');
      user.put(`${store}/${name}/lib/python3.12/site-packages/x.py`);
    }
    const { binds, env } = user.find('.local/bin');
    const own = join(user.at(store), `project-${mark}-py3.12`);
    expect(binds).toEqual(['bin', 'lib', 'pyvenv.cfg'].map((part) => join(own, part)));
    expect(env['POETRY_VIRTUALENVS_PATH']).toBe(user.at(store));
  });

  test('a package of another folder is reported', () => {
    const user = createUser('editable');
    user.script('env/bin/python', 'echo');
    user.put('env/pyvenv.cfg', 'home = /usr/bin\n');
    const info = (name: string) => `env/lib/python3.12/site-packages/${name}-1.0.dist-info/direct_url.json`;
    for (const [name, folder] of [
      ['other', user.at('work/other')],
      ['project', user.workspace],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      user.put(info(name), JSON.stringify({ url: pathToFileURL(folder).href, dir_info: { editable: true } }));
    }
    const { refused } = user.find('env/bin');
    expect(refused).toEqual([expect.stringContaining(user.at('work/other'))]);
  });
});

describe('an environment that cannot be shown completely is not shown, with the reason', () => {
  test('a virtual environment that is the home folder', async () => {
    const user = createUser('in-home');
    user.script('bin/python3', 'echo half');
    user.put('pyvenv.cfg', 'home = /usr/bin\n');
    user.put('lib/python3.12/site-packages/x.py');
    const found = user.find('bin', { VIRTUAL_ENV: user.home });
    expect(found.binds).toEqual([]);
    expect(found.path.split(':')).not.toContain(user.at('bin'));
    expect(found.refused).toEqual([expect.stringMatching(/in-home .*\bhome\b/)]);
    expect(found.env).not.toHaveProperty('VIRTUAL_ENV');
    expect((await user.run('bin', 'python3 -c 1 || true')).output).not.toContain('half');
  });

  test('a manager in a folder with other files', () => {
    const user = createUser('shared');
    user.script('.pyenv/shims/tool', 'echo half');
    user.put('.pyenv/versions/1.0/bin/tool');
    const found = user.find('.pyenv/shims', { PYENV_ROOT: user.at('.pyenv'), HOME: user.at('.pyenv') });
    expect(found.binds).toEqual([]);
    expect(found.refused).toHaveLength(1);
    expect(found.path).not.toContain('shims');
  });

  test('versions that link into a private folder', () => {
    const user = createUser('leading');
    user.script('.rbenv/shims/tool', 'echo half');
    user.script('.ssh/versions/1.0/bin/tool', 'echo');
    user.link('.rbenv/versions', user.at('.ssh/versions'));
    const found = user.find('.rbenv/shims');
    expect(found.binds).toEqual([]);
    expect(found.refused).toEqual([expect.stringContaining(user.at('.ssh/versions'))]);
  });
});
