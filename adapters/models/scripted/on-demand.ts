import type { ModelServer, ModelServerOptions } from './model-server.ts';
import type { Script } from './script.ts';

// The server is loaded on first use, because most runs use a real model. See model-server.ts and script.ts.

export async function createModelServer(options: ModelServerOptions): Promise<ModelServer> {
  return (await import('./model-server.ts')).createModelServer(options);
}

export async function loadScript(file: string): Promise<Script> {
  return (await import('./script.ts')).loadScript(file);
}

export async function parseScript(text: string, file: string): Promise<Script> {
  return (await import('./script.ts')).parseScript(text, file);
}
