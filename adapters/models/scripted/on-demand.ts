import type { ModelServer, ModelServerOptions } from './model-server.ts';
import type { Script } from './script.ts';

// The server is loaded on first use, because most runs use a real model.

/** See `createModelServer` in model-server.ts. */
export async function createModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const server = await import('./model-server.ts');
  return server.createModelServer(options);
}

/** See `loadScript` in script.ts. */
export async function loadScript(file: string): Promise<Script> {
  const script = await import('./script.ts');
  return script.loadScript(file);
}

/** See `parseScript` in script.ts. */
export async function parseScript(text: string, file: string): Promise<Script> {
  const script = await import('./script.ts');
  return script.parseScript(text, file);
}
