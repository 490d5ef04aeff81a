import type { Intent, ToolContext } from '@klaus/core/agent';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { callTool, createToolContext, noSandbox } from '../fixtures/tool-context.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

export const SITE = {
  'dist/index.html': '<link rel="stylesheet" href="assets/a.css"><h1>One</h1>\n',
  'dist/assets/a.css': 'h1 { color: teal }\n',
  'dist/assets/b c.js': 'console.log("a b c")\n',
  'dist/about/index.html': '<h1>About</h1>\n',
};

/** Content by path of the site. */
export const PAGES: Record<string, string> = Object.fromEntries(
  Object.entries(SITE).map(([path, content]) => [path.slice('dist/'.length), content]),
);

export interface DeployBench extends Disposable {
  place: TestHome;
  /** Calls a tool as the loop does. */
  call: (name: string, input: Readonly<Record<string, unknown>>) => ReturnType<typeof callTool>;
  /** The intent of a call, without the call. */
  prepare: (name: string, input: Readonly<Record<string, unknown>>) => Promise<Intent>;
}

/** A workspace with a site, and the tools without a loop. */
export async function createDeployBench(of: {
  credentials: Readonly<Record<string, string>>;
  deploy?: Partial<ToolContext['deploy']>;
  files?: Readonly<Record<string, string>>;
  isSecret?: (text: string) => boolean;
}): Promise<DeployBench> {
  const place = createTestHome({ ...SITE, ...of.files });
  const workspace = await createWorkspace(place.workspace);
  const context = createToolContext({ ...of, workspace, sandbox: noSandbox });
  return {
    place,
    call: (name, input) => callTool(builtinTools, name, { input, context }),
    async prepare(name, input) {
      const tool = builtinTools.find((each) => each.name === name)!;
      return (await tool.prepare!(tool.input.parse(input), context))!;
    },
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}
