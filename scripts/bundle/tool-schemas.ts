import { relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { builtinTools } from '../../adapters/tools/registry.ts';
import { toInputSchema } from '../../core/agent/calls/tool-registry.ts';

const REGISTRY = 'adapters/tools/registry.ts';

/**
 * Adds the JSON Schemas of every first request to the built-in tools of a bundle: generating them takes longer than the
 * rest of that request.
 */
export function toolSchemas(root: string): Plugin {
  const schemas = builtinTools
    .filter(({ deferred = false }) => !deferred)
    .map((tool) => [tool.name, toInputSchema(tool)] as const);
  const text = JSON.stringify(JSON.stringify(Object.fromEntries(schemas)));
  return {
    name: 'tool-schemas',
    transform(code, id) {
      if (relative(root, id) !== REGISTRY) return null;
      return `${code}
const schemas = JSON.parse(${text});
for (const tool of builtinTools) if (schemas[tool.name]) Object.assign(tool, { inputSchema: schemas[tool.name] });
`;
    },
  };
}
