// Covers adapters/tools/terraform: generated configurations, checked by the real program.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { TERRAFORM_PROGRAMS } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext, noSandbox } from '../fixtures/tool-context.ts';

const programs = TERRAFORM_PROGRAMS.filter((name) => spawnSync(name, ['-version']).error === undefined);
for (const name of TERRAFORM_PROGRAMS)
  if (!programs.includes(name)) console.warn(`skipped here: the check of generated files with ${name}`);

const PROJECTS: Readonly<Record<string, Record<string, string>>> = {
  nextjs: { 'package.json': '{"name":"@acme/Shop","dependencies":{"next":"15.0.0","react":"19.0.0"}}' },
  vite: {
    'package.json':
      '{"name":"page","scripts":{"build":"vite build"},"devDependencies":{"vite":"8.0.0","react":"19.0.0"}}',
  },
  html: { 'index.html': '<h1>Hello</h1>' },
  express: { 'package.json': '{"name":"9 ${lives} \\"api\\"","dependencies":{"express":"5.0.0"}}' },
  fastify: { 'package.json': '{"dependencies":{"fastify":"5.0.0"}}' },
  hono: { 'package.json': '{"dependencies":{"hono":"4.0.0","@hono/node-server":"2.0.0"}}' },
  node: { 'package.json': '{"name":"worker","scripts":{"start":"node main.js"}}' },
};

async function generate(files: Record<string, string>, input: Record<string, unknown>, place?: TestHome) {
  const home = place ?? createTestHome(files);
  const context = createToolContext({ workspace: await createWorkspace(home.workspace), sandbox: noSandbox });
  const output = await callTool(builtinTools, 'generate_infrastructure', { input, context });
  return { place: home, output };
}

const NAMES = ['main.tf', 'variables.tf', 'outputs.tf', 'terraform.tfvars.example'];

test.each([
  ['nextjs', 'aws', 'nextjs', 'aws_ecs_service'],
  ['nextjs', 'vercel', 'nextjs', 'vercel_project'],
  ['nextjs', 'netlify', 'nextjs', 'netlify_site_build_settings'],
  ['vite', 'aws', 'static', 'aws_cloudfront_distribution'],
  ['vite', 'vercel', 'static', 'vercel_project'],
  ['vite', 'netlify', 'static', 'netlify_site_build_settings'],
  ['html', 'aws', 'static', 'aws_s3_bucket'],
  ['express', 'aws', 'api', 'aws_lb'],
  ['fastify', 'vercel', 'api', 'vercel_project'],
  ['hono', 'aws', 'api', 'aws_ecr_repository'],
  ['node', 'aws', 'node', 'aws_ecs_task_definition'],
])('%s on %s is a %s project, well formatted', async (name, provider, type, resource) => {
  const { place, output } = await generate(PROJECTS[name]!, { provider });
  using _ = place;
  expect(output.text).toContain(`Project type: ${type}.`);
  expect(output.changes?.map(({ kind, path }) => [kind, path])).toEqual(
    expect.arrayContaining(NAMES.map((file) => ['created', `infrastructure/${file}`])),
  );
  const folder = join(place.workspace, 'infrastructure');
  expect(readFileSync(join(folder, 'main.tf'), 'utf8')).toContain(`resource "${resource}"`);
  // The examples are files of variables too.
  writeFileSync(join(folder, 'terraform.tfvars'), readFileSync(join(folder, 'terraform.tfvars.example')));
  for (const program of programs) {
    const check = spawnSync(program, ['fmt', '-check', '-diff'], { cwd: folder, env: place.env, encoding: 'utf8' });
    expect(check.stdout + check.stderr).toBe('');
  }
});

test.each(programs)(
  '%s: a name from package.json is text in the configuration, and variables have their defaults',
  async (program) => {
    const { place } = await generate(PROJECTS['express']!, { provider: 'aws' });
    using _ = place;
    const folder = join(place.workspace, 'infrastructure');
    const variables = readFileSync(join(folder, 'variables.tf'), 'utf8');
    writeFileSync(
      join(place.workspace, 'main.tf'),
      `${variables}\noutput "all" {\n  value = [var.name, var.port, var.region]\n}\n`,
    );
    const run = (...words: string[]) =>
      execFileSync(program, words, { cwd: place.workspace, env: place.env, encoding: 'utf8' });
    run('init', '-input=false');
    expect(JSON.parse(run('validate', '-json'))).toMatchObject({ valid: true, diagnostics: [] });
    run('apply', '-auto-approve', '-input=false');
    expect(JSON.parse(run('output', '-json', 'all'))).toEqual(['lives-api', 3000, 'eu-central-1']);
  },
);

test.each([
  ['node', 'vercel'],
  ['node', 'netlify'],
  ['express', 'netlify'],
])('%s on %s is refused with the possible pairs', async (name, provider) => {
  await expect(generate(PROJECTS[name]!, { provider })).rejects.toMatchObject({
    code: 'tool.failed',
    hint: expect.stringMatching(/aws: .*vercel: .*netlify: /) as string,
  });
});

test('a project in another folder, existing files, and a folder without a project', async () => {
  const files = { 'app/package.json': PROJECTS['vite']!['package.json']!, 'infra/main.tf': '# mine\n' };
  using place = createTestHome(files);
  const input = { provider: 'aws', project: 'app', path: 'infra' };
  await expect(generate({}, { ...input, project: '.' }, place)).rejects.toMatchObject({ code: 'tool.failed' });
  await expect(generate({}, input, place)).rejects.toMatchObject({ code: 'tool.failed' });
  expect(readFileSync(join(place.workspace, 'infra/main.tf'), 'utf8')).toBe('# mine\n');
  const { output } = await generate({}, { ...input, overwrite: true }, place);
  expect(output.changes?.find(({ path }) => path === 'infra/main.tf')?.kind).toBe('modified');
  expect((await generate({}, input, place)).output.changes).toEqual([]);
  await expect(generate({}, { ...input, path: '../out' }, place)).rejects.toMatchObject({ code: 'workspace.outside' });
});
