import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { listNames } from '@klaus/sdk/guard';
import { isRecord } from '@klaus/sdk/is-record';
import { findNamedFiles, readText } from '../expansion/find-named-files.ts';
import { isGuardOf } from '../install/settings-file.ts';
import { COMMAND_SETTINGS, findScriptFiles, listCommands, readObject, toRecord } from './command-lines.ts';
import { isLoadingVariable, listPaths } from './loading-variable.ts';
import { isPlugin, readPlugins } from './plugin-files.ts';

/** What Claude Code starts or loads in a project without a call that the guard could judge. */
export interface ProjectPrograms {
  /** What it is, and where: `hooks in .claude/settings.json`. */
  found: readonly string[];
  /** What an allowance is for: it changes with each program, and with the files of the project that they run. */
  text: string;
  /** Absolute paths of what they run or load: files of the project, and folders that variables name. */
  scripts: ReadonlySet<string>;
  /** True if a program among them could answer a question of Claude Code in the place of the user. */
  isAnswered: boolean;
  /** Variables by which requests to the model, with the conversation, would be sent elsewhere. */
  redirects: readonly string[];
}

export interface ProjectPlace {
  /** Absolute real path of the project. */
  root: string;
  /** Absolute path of the state folder, whose guard is no program of the project. */
  home: string;
}

const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];
const SERVERS = '.mcp.json';
/** Both names of the places from which plugins come. */
const MARKETPLACES = ['extraKnownMarketplaces', 'additionalMarketplaces'];
/** Settings without a program, or that are read by themselves. */
const OTHERS = new Set(['hooks', 'env', 'permissions', 'enabledPlugins', ...MARKETPLACES]);
const REDIRECTS =
  /^(?:(?:ANTHROPIC|CLAUDE)_\w*(?:URL|HOST|SOCKET|PROXY|PROFILE)|ANTHROPIC_(?:CONFIG_DIR|FOUNDRY_RESOURCE|API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)|(?:HTTPS?|ALL)_PROXY|NODE_(?:EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|SSL_CERT_(?:FILE|DIR)|OTEL_\w*(?:ENDPOINT|HEADERS)|(?:AWS|CLOUD_ML)\w*_(?:ENDPOINT|URL)\w*|CLOUD_ML_REGION)$/i;

/** Undefined for a project without them. What Claude Code cannot read either has none. */
export function readProjectPrograms({ root, home }: ProjectPlace): ProjectPrograms | undefined {
  const found: string[] = [];
  const texts: unknown[] = [];
  const lines: string[] = [];
  const redirects: string[] = [];
  const loaded = new Set<string>();
  let isAnswered = false;
  const add = (what: string, value: unknown): void => {
    found.push(what);
    texts.push(what, value);
    lines.push(...(typeof value === 'string' ? [value] : listCommands(value)));
  };
  const addPlugins = (folder: string): boolean => {
    const plugins = readPlugins(folder);
    texts.push(plugins.files.map(toDigest));
    lines.push(...plugins.lines);
    isAnswered = true;
    return plugins.files.length > 0;
  };
  for (const file of SETTINGS) {
    const settings = readObject(join(root, file));
    const hooks = readHooks(settings['hooks'], home);
    if (hooks.length > 0) add(`hooks in ${file}`, hooks);
    isAnswered ||= hooks.some(({ event }) => event === 'PermissionRequest');
    for (const [name, value] of Object.entries(settings))
      if (!OTHERS.has(name) && (COMMAND_SETTINGS.test(name) ? Boolean(value) : listCommands(value).length > 0))
        add(`\`${name}\` in ${file}`, value);
    const agents = readAgents(settings['agent'], root);
    if (agents.length > 0) add(`\`agent\` in ${file}`, agents);
    for (const [name, value] of Object.entries(toRecord(settings['env']))) {
      const isRedirect = REDIRECTS.test(name);
      if (isRedirect) redirects.push(name);
      if (isRedirect || isLoadingVariable(name, String(value), root)) add(`the variable ${name} in ${file}`, value);
      for (const path of listPaths(String(value), root)) loaded.add(path);
    }
    const plugins = Object.entries(toRecord(settings['enabledPlugins'])).filter(([, value]) => Boolean(value));
    if (plugins.length > 0) {
      isAnswered = true;
      add(`plugins in ${file} (${plugins.map(([name]) => name).join(', ')})`, plugins);
      for (const path of MARKETPLACES.flatMap((key) => listLocalMarketplaces(settings[key], root))) addPlugins(path);
    }
  }
  const servers = Object.entries(toRecord(readObject(join(root, SERVERS))['mcpServers']));
  const started = servers.filter(([, value]) => isRecord(value) && ('command' in value || 'headersHelper' in value));
  if (started.length > 0) add(`servers in ${SERVERS} (${started.map(([name]) => name).join(', ')})`, started);
  for (const name of listNames(join(root, '.claude/skills'))) {
    const folder = join(root, '.claude/skills', name);
    if (isPlugin(folder) && addPlugins(folder)) found.push(`the plugin .claude/skills/${name}`);
  }
  if (found.length === 0) return undefined;
  const scripts = new Set([...findScriptFiles(lines, root), ...loaded]);
  texts.push([...scripts].map(toDigest));
  const text = JSON.stringify(texts);
  return { found, text, scripts, isAnswered, redirects };
}

/** Entries with hooks, without those of the guard. */
function readHooks(hooks: unknown, home: string): { event: string }[] {
  return Object.entries(toRecord(hooks)).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? (entries as unknown[]) : []).flatMap((entry) => {
      const { hooks: all, ...rest } = toRecord(entry);
      const others = (Array.isArray(all) ? (all as unknown[]) : []).filter((hook) => !isGuardOf(home, event, hook));
      return others.length > 0 ? [{ event, ...rest, hooks: others }] : [];
    }),
  );
}

/** Texts of an agent as which each session works, if it starts or loads something. */
function readAgents(name: unknown, root: string): string[] {
  if (typeof name !== 'string') return [];
  const texts = findNamedFiles('agent', name, { root, cwd: root }).map(({ text }) => text);
  return texts.filter((text) => /^["']?(?:hooks|mcpServers|skills)["']?\s*:/m.test(text));
}

function listLocalMarketplaces(marketplaces: unknown, root: string): string[] {
  return Object.values(toRecord(marketplaces)).flatMap((marketplace) => {
    const { path } = toRecord(toRecord(marketplace)['source']);
    return typeof path === 'string' ? [resolve(root, path)] : [];
  });
}

function toDigest(path: string): string {
  return `${path} ${createHash('sha256')
    .update(readText(path) ?? '')
    .digest('hex')}`;
}
