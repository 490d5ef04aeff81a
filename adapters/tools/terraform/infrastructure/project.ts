import { basename } from 'node:path';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { isFile } from '../../project/package-json.ts';
import { toolFailed } from '../../tool-failed.ts';

/** `static`: files for a web server, also those that React and Vite build. `api`: a server of Express, Fastify or Hono. */
export type ProjectType = 'nextjs' | 'static' | 'api' | 'node';

/** What an infrastructure needs to know about a project. */
export interface Project {
  type: ProjectType;
  /** Lower-case letters, digits and hyphens, at most 24 characters, beginning with a letter. */
  name: string;
  /** Name of the framework, as Vercel spells it. */
  framework?: string;
  /** Folder of built files. */
  output: string;
  /** Command that builds it; '' for none. */
  build: string;
  /** Port on which a server listens. */
  port: number;
}

const packageSchema = z.object({
  name: z.string().optional(),
  scripts: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
});
type Package = z.infer<typeof packageSchema>;

const SERVERS = ['express', 'fastify', 'hono'] as const;

/**
 * Detects the type of a project from its package.json and files.
 *
 * @param folder Relative to the workspace; '' is the workspace.
 * @throws KlausError `tool.failed` for a folder that is no web project and no Node.js program.
 */
export async function detectProject(context: Pick<ToolContext, 'workspace'>, folder: string): Promise<Project> {
  const at = (path: string): string => (folder === '' ? path : `${folder}/${path}`);
  const has = (path: string): Promise<boolean> => isFile(context, at(path));
  const root = folder === '' ? context.workspace.root : folder;
  if (!(await has('package.json'))) {
    if (await has('index.html')) return { ...toBase({}, root), type: 'static', output: '.', build: '' };
    throw toolFailed('No package.json and no index.html were found.', {
      hint: 'Give the folder of the project as source.',
    });
  }
  const pkg = await readPackage(context, at('package.json'));
  const base = toBase(pkg, root);
  const uses = (name: string): boolean =>
    pkg.dependencies?.[name] !== undefined || pkg.devDependencies?.[name] !== undefined;
  if (uses('next') || (await hasAny(has, 'next.config')))
    return { ...base, type: 'nextjs', framework: 'nextjs', output: '.next', port: 3000 };
  const server = SERVERS.find((name) => pkg.dependencies?.[name] !== undefined);
  if (server !== undefined) return { ...base, type: 'api', framework: server };
  if (uses('vite') || (await hasAny(has, 'vite.config'))) return { ...base, type: 'static', framework: 'vite' };
  if (uses('react-scripts')) return { ...base, type: 'static', framework: 'create-react-app', output: 'build' };
  if (uses('react')) return { ...base, type: 'static' };
  if (pkg.scripts?.['start'] === undefined && (await has('index.html')))
    return { ...base, type: 'static', output: base.build === '' ? '.' : 'dist' };
  return { ...base, type: 'node' };
}

async function hasAny(has: (path: string) => Promise<boolean>, name: string): Promise<boolean> {
  for (const ending of ['js', 'mjs', 'cjs', 'ts', 'mts']) if (await has(`${name}.${ending}`)) return true;
  return false;
}

function toBase({ name, scripts }: Package, root: string): Omit<Project, 'type'> {
  const build = scripts?.['build'] === undefined ? '' : 'npm run build';
  return { name: toName(name ?? basename(root)), output: 'dist', build, port: 3000 };
}

function toName(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 24)
    .replace(/-$/, '');
  return plain === '' ? 'app' : plain;
}

async function readPackage({ workspace }: Pick<ToolContext, 'workspace'>, path: string): Promise<Package> {
  const text = Buffer.from(await workspace.read(path, { maxBytes: 1024 * 1024 })).toString();
  try {
    return packageSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw toolFailed(`${path} cannot be read.`, { cause });
  }
}
